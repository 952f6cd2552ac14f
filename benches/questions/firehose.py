"""Questions about the firehose: JSONBench's five, and others about what its events have and the web's do not: fields
that are missing in most events, long ids that are met once, texts in several languages, lists.

The service is asked in text. Peers give exact numbers where it does, and their own estimates where it estimates.
"""

from .overview import PERCENTILES
from .question import Question, bucket, first_cells, shown_times, table_rows, text, words

RARE, COMMON, JAPANESE, ANY_CASE = "archipelago", "morning", "図書館", "Lighthouse"
POSTS = "kind == 'commit' and ['commit.operation'] == 'create' and ['commit.collection'] == 'social.feed.post'"
SQL_POSTS = "kind = 'commit' AND commit.operation = 'create' AND commit.collection = 'social.feed.post'"
CREATED = "kind == 'commit' and ['commit.operation'] == 'create'"
SQL_CREATED = "kind = 'commit' AND commit.operation = 'create'"
FEEDS = "'social.feed.post', 'social.feed.repost', 'social.feed.like'"
# DuckDB estimates small groups from few registers.
DISTINCT = {"ClickHouse": 4.0, "DuckDB": 30.0}
COUNTED = "SELECT count(*), sum(n) FROM (SELECT {keys}, count(*) AS n FROM {events} GROUP BY ALL)"


def ask(name, window, stages, clickhouse, duckdb=None, **options):
    """A question in text, and in SQL with `{of}` for the events of the window."""
    statements = [sql and sql.replace("{of}", f"FROM {window.events}") for sql in (clickhouse, duckdb)]
    return Question(name, text(window, stages), *statements, own=options.pop("own", table_rows), **options)


def jsonbench(whole):
    """The five of JSONBench, and the distinct users of the second once more with exact numbers."""
    span = "SELECT did, max(time_us) - min(time_us) AS n {of} AND " + SQL_POSTS
    return [
        ask(
            "count by collection", whole, "summarize n = count() by ['commit.collection']",
            "SELECT commit.collection AS c, count(*) {of} GROUP BY c",
        ),
        ask(
            "count and distinct users by collection", whole,
            f"where {CREATED} | summarize n = count(), users = dcount(did) by ['commit.collection']",
            f"SELECT commit.collection AS c, count(*), uniqCombined64(17)(did) {{of}} AND {SQL_CREATED} GROUP BY c",
            f"SELECT commit.collection AS c, count(*), approx_count_distinct(did) {{of}} AND {SQL_CREATED} GROUP BY c",
            percent=DISTINCT,
        ),
        ask(
            "the same, exactly", whole,
            f"where {CREATED} | summarize n = count() by ['commit.collection'], did "
            "| summarize n = sum(n), users = count() by ['commit.collection']",
            f"SELECT commit.collection AS c, count(*), uniqExact(did) {{of}} AND {SQL_CREATED} GROUP BY c",
            f"SELECT commit.collection AS c, count(*), count(DISTINCT did) {{of}} AND {SQL_CREATED} GROUP BY c",
        ),
        ask(
            "hour by collection", whole,
            f"where {CREATED} and ['commit.collection'] in ({FEEDS}) "
            "| summarize n = count() by ['commit.collection'], hour = hourofday(_time)",
            f"SELECT commit.collection AS c, toHour(_time) AS h, count(*) {{of}} AND {SQL_CREATED} "
            f"AND commit.collection IN ({FEEDS}) GROUP BY c, h",
            f"SELECT commit.collection AS c, hour(_time) AS h, count(*) {{of}} AND {SQL_CREATED} "
            f"AND commit.collection IN ({FEEDS}) GROUP BY c, h",
        ),
        ask(
            "first three to post", whole,
            f"where {POSTS} | summarize begun = min(time_us) by did | sort by begun asc, did asc | take 3",
            f"SELECT did, min(time_us) AS begun {{of}} AND {SQL_POSTS} GROUP BY did ORDER BY begun, did LIMIT 3",
        ),
        ask(
            "longest span by user", whole,
            f"where {POSTS} | summarize begun = min(time_us), ended = max(time_us) by did "
            "| extend span = ended - begun | project did, span | sort by span desc, did asc | take 3",
            f"{span} GROUP BY did ORDER BY n DESC, did LIMIT 3",
        ),
    ]


def texts(whole):
    def contains(name, word):
        return ask(
            name, whole, f"where ['commit.record.text'] contains_cs '{word}' | summarize n = count()",
            f"SELECT count(*) {{of}} AND commit.record.text LIKE '%{word}%'",
        )

    return [
        contains("text: a rare word", RARE),
        contains("text: a common word", COMMON),
        contains("text: a word without spaces around it", JAPANESE),
        ask(
            "text: a word in any case, by collection", whole,
            f"where ['commit.record.text'] contains '{ANY_CASE}' | summarize n = count() by ['commit.collection']",
            f"SELECT commit.collection AS c, count(*) {{of}} AND commit.record.text ILIKE '%{ANY_CASE}%' GROUP BY c",
        ),
        ask(
            "languages of posts", whole,
            f"where {POSTS} and isnotnull(['commit.record.langs']) | mv-expand lang = ['commit.record.langs'] "
            "| summarize n = count() by lang = tostring(lang)",
            f"SELECT arrayJoin(commit.record.langs) AS lang, count(*) {{of}} AND {SQL_POSTS} GROUP BY lang",
            f"SELECT lang, count(*) FROM (SELECT unnest(commit.record.langs) AS lang {{of}} AND {SQL_POSTS}) "
            "GROUP BY lang",
        ),
    ]


def ids(whole, samples):
    return [
        ask(
            "groups by the first two letters of an id", whole,
            "summarize n = count() by letters = substring(did, 8, 2) | sort by n desc, letters asc | take 20",
            "SELECT substring(did, 9, 2) AS letters, count(*) AS n {of} GROUP BY letters "
            "ORDER BY n DESC, letters LIMIT 20",
        ),
        ask(
            "one content", whole, f"where ['commit.cid'] == '{samples['content']}' | take 1000",
            f"SELECT time_us, * {{of}} AND commit.cid = '{samples['content']}' LIMIT 1000",
            own=shown_times, theirs=first_cells,
        ),
        ask(
            "one user, all fields", whole,
            f"where did == '{samples['user']}' | sort by _time desc | take 1000",
            f"SELECT time_us, * {{of}} AND did = '{samples['user']}' ORDER BY _time DESC LIMIT 1000",
            own=shown_times, theirs=first_cells,
        ),
        ask(
            "top users", whole, "summarize n = count() by did | sort by n desc, did asc | take 10",
            "SELECT did, count(*) AS n {of} GROUP BY did ORDER BY n DESC, did LIMIT 10",
        ),
        ask(
            "posts that are liked most", whole,
            "where ['commit.collection'] == 'social.feed.like' and isnotnull(['commit.record.subject.uri']) "
            "| summarize n = count() by uri = ['commit.record.subject.uri'] | sort by n desc, uri asc | take 10",
            "SELECT commit.record.subject.uri AS uri, count(*) AS n {of} AND commit.collection = 'social.feed.like' "
            "AND uri <> '' GROUP BY uri ORDER BY n DESC, uri LIMIT 10",
            "SELECT commit.record.subject.uri AS uri, count(*) AS n {of} AND commit.collection = 'social.feed.like' "
            "AND commit.record.subject.uri IS NOT NULL GROUP BY uri ORDER BY n DESC, uri LIMIT 10",
        ),
    ]


def counted(name, window, seconds, keys, own_keys):
    """The number of groups and of events in them: the peers too answer with that and not with all groups."""
    by = {
        peer: COUNTED.format(keys=", ".join([*keys, of]), events=window.events)
        for peer, of in bucket(seconds).items()
    }
    stages = f"summarize n = count() by {', '.join([*own_keys, f'bin(_time, {seconds}s)'])} | summarize count(), sum(n)"
    return Question(name, text(window, stages), by["ClickHouse"], by["DuckDB"], own=table_rows)


def percentiles(name, window, parts=(50, 95)):
    """Of a window not the far end: of a thousand values those next to the 99th percentile are as far from each other as
    estimates may be."""
    stages = ", ".join(f"p{part} = percentile(['relay.lag_ms'], {part})" for part in parts)
    shares = ", ".join(str(part / 100) for part in parts)
    return ask(
        name, window,
        f"where isnotnull(['relay.lag_ms']) | summarize a = avg(['relay.lag_ms']), {stages} by ['relay.region']",
        f"SELECT relay.region AS r, avg(relay.lag_ms), quantilesTDigest({shares})(relay.lag_ms) {{of}} "
        "AND relay.lag_ms IS NOT NULL GROUP BY r",
        f"SELECT relay.region AS r, avg(relay.lag_ms), approx_quantile(relay.lag_ms, [{shares}]) {{of}} "
        "AND relay.lag_ms IS NOT NULL GROUP BY r",
        percent=PERCENTILES,
    )


def optional_fields(times):
    whole, quarter = times.whole, times.quarter
    collection, own_collection = ["commit.collection"], ["['commit.collection']"]
    return [
        counted(f"count by {words(times.fine)}", whole, times.fine, [], []),
        counted(f"collection by {words(times.coarse)}", whole, times.coarse, collection, own_collection),
        counted("the same over 15 minutes, by 5 seconds", quarter, 5, collection, own_collection),
        percentiles("average and percentiles of an optional field", whole, (50, 95, 99)),
        percentiles("average and percentiles of it over 15 minutes", quarter),
        ask(
            "bytes by two optional words", whole,
            "where isnotnull(['relay.app']) and isnotnull(['relay.region']) "
            "| summarize n = count(), s = sum(['relay.bytes']) by ['relay.app'], ['relay.region']",
            "SELECT relay.app AS a, relay.region AS r, count(*), sum(relay.bytes) {of} "
            "AND relay.app <> '' AND relay.region <> '' GROUP BY a, r",
            "SELECT relay.app AS a, relay.region AS r, count(*), sum(relay.bytes) {of} "
            "AND relay.app IS NOT NULL AND relay.region IS NOT NULL GROUP BY a, r",
        ),
        ask(
            "three filters", whole,
            "where ['relay.verified'] == true and ['relay.region'] == 'ap-south' "
            "and ['commit.collection'] == 'social.feed.like' | summarize n = count(), m = max(['relay.followers'])",
            "SELECT count(*), max(relay.followers) {of} AND relay.verified = true AND relay.region = 'ap-south' "
            "AND commit.collection = 'social.feed.like'",
        ),
        ask(
            "last 100 deletes, all fields", whole,
            "where ['commit.operation'] == 'delete' | sort by _time desc | take 100",
            "SELECT time_us, * {of} AND commit.operation = 'delete' ORDER BY _time DESC LIMIT 100",
            own=shown_times, theirs=first_cells,
        ),
    ]


def questions(times, samples):
    whole = times.whole
    return [*jsonbench(whole), *optional_fields(times), *ids(whole, samples), *texts(whole)]
