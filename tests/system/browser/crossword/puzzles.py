"""The puzzles in the tests of the crossword's page."""

SIMPLE = """>> "Simple Puzzle" "A trivial puzzle designed to show how puzzles work"
(cat, "feline companion", DOWN, 0, 1)
(mat, "lounging place for feline companion", ACROSS, 1, 0)
"""

# The handout's larger example: words 1 and 3 begin in one cell.
CATS = """>> "Cats and Cars" "All letters of one word belong to others, too"
(cat, "feline companion", DOWN, 0, 1)
(mat, "lounging place for feline companion", ACROSS, 1, 0)
(car, "it has four wheels", ACROSS, 0, 1)
(tax, "nobody likes to pay it", ACROSS, 2, 1)
"""

# 15 rows and columns, as in most newspapers.
NONSENSE = ("zqxjkvwyqzgbxkj", "jzw-kqxvjqzwgkx", "vjq-xz")
SECRET = f""">> "Secret" "Nobody can guess these"
({NONSENSE[0]}, "first", ACROSS, 0, 0)
({NONSENSE[1]}, "second", DOWN, 0, 14)
({NONSENSE[2]}, "third", DOWN, 0, 5)
"""
