"""As rows.py, for the command line."""

ASK = "src/cli/ask.c"

ROWS = [
    ("an_answer_has_no_end", "test_operator_odd.py -k without_end",
     (ASK, "!grown || room > ANSWER_MAX", "!grown")),
]
