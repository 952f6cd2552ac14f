"""The families of made-up events, so that nothing is made fast for one generator alone, and what each has of its own: the
tables of the peers, the questions, the ids that are asked for, and what many clients ask."""

from peers import tables
from questions import all_questions, firehose_questions, mixture
from runs import samples


class Family:
    def __init__(self, name, kind, questions, take_samples, mixed, loading_bytes):
        self.name, self.kind, self.questions, self.take_samples = name, kind, questions, take_samples
        self.mixture = mixed
        # What an event takes on the disk while it is loaded, with merged parts that have not been removed yet.
        self.loading_bytes = loading_bytes
        # An older binary knows no other family, and no option for it.
        self.options = [] if name == "web" else ["--family", name]


WEB = Family(
    "web", tables.WEB, all_questions, samples.take, mixture.WEB,
    {"Tidegauge": 150, "ClickHouse": 150, "DuckDB": 130},
)
FIREHOSE = Family(
    "firehose", tables.FIREHOSE, firehose_questions, samples.take_of_firehose, mixture.FIREHOSE,
    {"Tidegauge": 350, "ClickHouse": 350, "DuckDB": 450},
)
FAMILIES = {family.name: family for family in (WEB, FIREHOSE)}
