"""Texts of many kinds, written for the tests of own texts: each a function of the length in characters."""

import random

# A short passage in each script, about the same thing: a sea, a harbour, a lamp, someone who counts the waves.
SCRIPTS = {
    "Greek": "Κάθε βράδυ η Ελένη ανάβει το λυχνάρι και μετράει τα κύματα: ένα, δύο, τρία. Ποιος ξέρει, λέει, πού πάνε; "
    "Η θάλασσα δεν απαντάει. Ο άνεμος γυρίζει, το λιμάνι κοιμάται, και το 2024 τελειώνει ήσυχα.\n",
    "Cyrillic": "Каждый вечер Елена зажигает лампу и считает волны: одна, две, три. Кто знает, говорит она, куда они "
    "уходят? Море не отвечает. Ветер меняется, гавань спит, ёлки шумят, и 2024 год тихо кончается.\n",
    "Arabic": "كُلَّ مَساءٍ تُشعِلُ ليلى المِصباحَ وتَعُدُّ الأمواجَ: واحدة، اثنتان، ثلاث. مَن يعلم، تقول، إلى أين تذهب؟ "
    "البحرُ لا يُجيب. تدور الريح، وينام الميناء، وتنتهي سنة ٢٠٢٤ بهدوء.\n",
    "Devanagari": "हर शाम लीला दीया जलाती है और लहरें गिनती है: एक, दो, तीन। कौन जानता है, वह कहती है, वे कहाँ जाती हैं? "
    "समुद्र उत्तर नहीं देता। हवा मुड़ती है, बंदरगाह सो जाता है, और २०२४ चुपचाप बीत जाता है।\n",
    "Japanese": "毎晩、花子はランプをともして波をかぞえる。一つ、二つ、三つ。どこへ行くのだろう、と彼女は言う。海は答えない。"
    "風が変わり、港はねむり、２０２４年はしずかに終わる。ガラスのむこうで鳥がないた。\n",
    "Latin with accents": "Chaque soir, Zoë allume la lampe et compte les vagues : une, deux, trois. Où vont-elles ? Čekám, řekla "
    "tiše; dźwięk morza, größer als die Nacht, señala el año 2024. L'été s'achève, là-bas, à Århus.\n",
}


def repeated(passage: str, length: int = 4000) -> str:
    return (passage * (length // len(passage) + 1))[:length]


def dna(length: int = 4000) -> str:
    """Four letters without order."""
    return "".join(random.Random(1).choices("ACGT", k=length))


def one_line(length: int = 4000) -> str:
    """One line without spaces."""
    return "".join(random.Random(2).choices("abcdefghij0123456789-_", k=length))


def emoji_chat(length: int = 4000) -> str:
    """Messages full of emoji: outside the BMP, joined to families, with skin tones, variation selectors and flags."""
    emoji = ["😀", "👩‍👩‍👧‍👦", "👍🏽", "❤️", "🏳️‍🌈", "🇩🇪", "1️⃣", "🧑🏿‍🚀", "☀︎", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"]
    draw, lines = random.Random(3), []
    while sum(map(len, lines)) < length:
        words = draw.choices(["ok", "lol", "see you", "now?", *emoji, *emoji], k=6)
        lines.append(f"{draw.choice(['ana', 'bo'])}: {' '.join(words)}\n")
    return "".join(lines)[:length]


def source_code(length: int = 4000) -> str:
    """A program: indents, brackets, names."""
    return repeated(
        "def count(waves):\n\tfor n, wave in enumerate(waves, 1):\n\t\tif wave is not None and n % 2 == 0:\n"
        '\t\t\tprint(f"{n:>3}: {wave!r}")  # <- every second one\n    return {"n": n, "last": [wave]}\n\n',
        length,
    )


def many_characters(distinct: int = 5000, length: int = 20_000) -> str:
    """Chinese characters, the k-th about k times rarer than the first, and each at least once."""
    draw, points = random.Random(4), range(0x4E00, 0x4E00 + distinct)
    drawn = draw.choices(points, [1 / rank for rank in range(1, distinct + 1)], k=length - distinct)
    everything = [*points, *drawn]
    draw.shuffle(everything)
    return "".join(map(chr, everything))


KINDS = {
    **{script: repeated(passage) for script, passage in SCRIPTS.items()},
    "DNA": dna(),
    "one line": one_line(),
    "emoji": emoji_chat(),
    "source code": source_code(),
    "5,000 characters": many_characters(),
}
