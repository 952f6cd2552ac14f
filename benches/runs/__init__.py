"""The runs of a comparison, each of which gives a part of the findings as plain data that JSON can hold."""
