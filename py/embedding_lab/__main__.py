"""python -m embedding_lab"""

from .cli import main

main()
