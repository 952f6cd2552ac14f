"""The 20 panels of a dashboard over the made-up events: what each asks in the service's language and in SQL, and how it is
drawn. The peers give the same rows, and not only their number, because a dashboard draws them."""

from .overview import PERCENTILES
from .question import Ask, bucket, table_rows, text

DISTINCT = {"ClickHouse": 3.0, "DuckDB": 6.0}
COLUMNS, WIDTH, HEIGHT = 12, 3, 4


class Panel:
    """A chart, its query behind the dataset's name, and the same in SQL with `{of}` for events of a window, `{fine}` and
    `{coarse}` for buckets of time. Where the peers have other words, `duckdb` is that of DuckDB."""

    def __init__(self, kind, name, stages, clickhouse, duckdb=None, percent=None):
        self.kind, self.name, self.stages = kind, name, stages
        self.sql = {"ClickHouse": clickhouse, "DuckDB": duckdb or clickhouse}
        self.percent = percent

    def chart(self, number, times):
        apl = f"['bench']\n| {self.in_times(times)}"
        return {"id": f"p{number}", "type": self.kind, "name": self.name, "query": {"apl": apl, "queryOptions": {}}}

    def in_times(self, times):
        return self.stages.replace("FINE", f"{times.fine}s").replace("COARSE", f"{times.coarse}s")

    def ask(self, window, times):
        statements = {
            peer: sql.format(of=f"FROM {window.events}", fine=bucket(times.fine)[peer], coarse=bucket(times.coarse)[peer])
            for peer, sql in self.sql.items()
        }
        body = text(window, self.in_times(times))
        return Ask(body, statements["ClickHouse"], statements["DuckDB"], own=table_rows, percent=self.percent)


def top(field, condition=""):
    return f"SELECT {field}, count(*) AS n {{of}}{condition} GROUP BY {field} ORDER BY n DESC, {field} LIMIT 10"


PANELS = [
    Panel("Statistic", "Requests", "count", "SELECT count(*) {of}"),
    Panel("Statistic", "Failures", "where status >= 500 | count", "SELECT count(*) {of} AND status >= 500"),
    Panel("Statistic", "Mean time", "summarize avg(duration_ms)", "SELECT avg(duration_ms) {of}"),
    Panel(
        "Statistic", "Users", "summarize dcount(user_id)",
        "SELECT uniqCombined64(17)(user_id) {of}", "SELECT approx_count_distinct(user_id) {of}", DISTINCT,
    ),
    Panel(
        "TimeSeries", "Requests by level", "summarize n = count() by t = bin(_time, COARSE), level",
        "SELECT {coarse} AS t, level, count(*) {of} GROUP BY t, level",
    ),
    Panel(
        "TimeSeries", "Requests by service", "summarize n = count() by t = bin(_time, COARSE), service",
        "SELECT {coarse} AS t, service, count(*) {of} GROUP BY t, service",
    ),
    Panel(
        "TimeSeries", "Failures by service",
        "where status >= 500 | summarize n = count() by t = bin(_time, COARSE), service",
        "SELECT {coarse} AS t, service, count(*) {of} AND status >= 500 GROUP BY t, service",
    ),
    Panel(
        "TimeSeries", "95 of 100 within", "summarize p = percentile(duration_ms, 95) by t = bin(_time, COARSE)",
        "SELECT {coarse} AS t, quantileTDigest(0.95)(duration_ms) {of} GROUP BY t",
        "SELECT {coarse} AS t, approx_quantile(duration_ms, 0.95) {of} GROUP BY t", PERCENTILES,
    ),
    Panel(
        "TimeSeries", "Bytes by region", "summarize s = sum(bytes) by t = bin(_time, COARSE), region",
        "SELECT {coarse} AS t, region, sum(bytes) {of} GROUP BY t, region",
    ),
    Panel(
        "TimeSeries", "Slowest", "summarize m = max(duration_ms) by t = bin(_time, FINE)",
        "SELECT {fine} AS t, max(duration_ms) {of} GROUP BY t",
    ),
    Panel("Pie", "Statuses", "summarize n = count() by status", "SELECT status, count(*) {of} GROUP BY status"),
    Panel("Pie", "Regions", "summarize n = count() by region", "SELECT region, count(*) {of} GROUP BY region"),
    Panel("TopK", "Paths", "summarize n = count() by path | order by n desc, path asc | take 10", top("path")),
    Panel(
        "TopK", "Failing hosts",
        "where status >= 500 | summarize n = count() by host | order by n desc, host asc | take 10",
        top("host", " AND status >= 500"),
    ),
    Panel(
        "TopK", "Cities",
        "summarize n = count() by ['geo.city'] | order by n desc, ['geo.city'] asc | take 10", top("geo.city"),
    ),
    Panel(
        "Table", "Services",
        "summarize n = count(), a = avg(duration_ms), p = percentile(duration_ms, 95), f = countif(status >= 500) "
        "by service",
        "SELECT service, count(*), avg(duration_ms), quantileTDigest(0.95)(duration_ms), countIf(status >= 500) {of} "
        "GROUP BY service",
        "SELECT service, count(*), avg(duration_ms), approx_quantile(duration_ms, 0.95), "
        "count(*) FILTER (WHERE status >= 500) {of} GROUP BY service",
        PERCENTILES,
    ),
    Panel(
        "Table", "Versions", "summarize n = count(), s = sum(bytes) by version, env",
        "SELECT version, env, count(*), sum(bytes) {of} GROUP BY version, env",
    ),
    Panel(
        "Scatter", "Paths by use and time", "summarize n = count(), a = avg(duration_ms) by path",
        "SELECT path, count(*), avg(duration_ms) {of} GROUP BY path",
    ),
    Panel(
        "LogStream", "Newest failures",
        "where status >= 500 | order by _time desc | take 50 | project _time, level, service, message",
        "SELECT _time, level, service, message {of} AND status >= 500 ORDER BY _time DESC LIMIT 50",
    ),
    Panel(
        "TimeSeries", "Messages with a word",
        "where message contains_cs 'checksum' | summarize n = count() by t = bin(_time, COARSE)",
        "SELECT {coarse} AS t, count(*) {of} AND message LIKE '%checksum%' GROUP BY t",
    ),
]


def document(times, seconds):
    charts = [panel.chart(number, times) for number, panel in enumerate(PANELS)]
    in_row = COLUMNS // WIDTH
    layout = [
        {"i": chart["id"], "x": place % in_row * WIDTH, "y": place // in_row * HEIGHT, "w": WIDTH, "h": HEIGHT}
        for place, chart in enumerate(charts)
    ]
    return {
        "name": "Twenty panels",
        "owner": "",
        "charts": charts,
        "layout": layout,
        "refreshTime": 900,
        "schemaVersion": 2,
        "timeWindowStart": f"qr-now-{seconds}s",
        "timeWindowEnd": "qr-now",
    }
