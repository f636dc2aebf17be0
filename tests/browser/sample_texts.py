"""Texts in several scripts and of several kinds, a few thousand characters each, made of common words at random."""

import random

WORDS = {
    "Greek": "θάλασσα ήλιος και το σπίτι δρόμος νύχτα μέρα φίλος λόγος Αθήνα Ελένη γράφω διαβάζω",
    "Cyrillic": "река солнце и дом дорога ночь день друг слово Москва Анна пишу читаю ещё подъезд",
    "Arabic": "بَيْت شَمْس كِتَاب قلم مدرسة ليل نهار صديق كلمة القاهرة فاطمة أكتب أقرأ في من إلى ١٢٣",
    "Hebrew": "בַּיִת שֶׁמֶשׁ ספר עט דרך לילה יום חבר מילה ירושלים שרה כותבת קוראת של על אל",
    "Devanagari": "घर सूरज किताब कलम रास्ता रात दिन मित्र शब्द दिल्ली सीता लिखना पढ़ना और में से १२३ हिन्दी",
    "Japanese": "家 太陽 本 ペン 道 夜 昼 友達 言葉 東京 花子 書く 読む は を が の に です ます カタカナ",
    "emoji chat": "hi 😀 👍🏽 ❤️ 👩‍💻 🏳️‍🌈 lol 🎉🎉 ok 🇫🇷 see you ☕ 7️⃣ 😂😂😂 brb 👨‍👩‍👧",
    "source code": "def f(x): return x + 1\n if (a[i] != b[j]) { count += 1; } # done for k, v in d.items(): print('%d' % k)",
}


def written(kind: str, words: int = 700) -> str:
    """A text of one kind: its words at random, in sentences; Japanese has no spaces between its words."""
    chosen = random.Random(kind).choices(WORDS[kind].split(" "), k=words)
    between, end = ("", "。\n") if kind == "Japanese" else (" ", ".\n")
    return "".join(between.join(chosen[i : i + 9]) + end for i in range(0, words, 9))


def dna(length: int = 6000) -> str:
    """Four letters in one line: a few codons at random."""
    return "".join(random.Random("dna").choices(["ATG", "GCC", "TTA", "CAG"], k=length // 3))


def many_characters(distinct: int = 5000) -> str:
    """Chinese characters: each of so many, and the first two hundred of them often."""
    every = [chr(0x4E00 + i) for i in range(distinct)]
    often = random.Random("han").choices(every[:200], k=8 * distinct)
    text = [character for i, other in enumerate(every) for character in (*often[8 * i : 8 * i + 8], other)]
    return "".join(text)


def one_line(length: int = 90_000) -> str:
    """A line without a blank, about as long as the field takes."""
    return "".join(random.Random("line").choices(["one", "long", "line", "without", "blanks"], k=length // 5))


def large(bytes_: int = 20_000_000) -> bytes:
    """UTF-8 in English and Greek, which makes it the costlier kind of string in a browser."""
    piece = (written("Greek") + "and a line in English, as most texts have one\n").encode()
    return (piece * (bytes_ // len(piece) + 1))[:bytes_].decode("utf-8", "ignore").encode()
