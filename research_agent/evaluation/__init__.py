"""How good rankings, answers and refusals are on questions whose answers are known."""
