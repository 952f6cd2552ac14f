"""Queries that ask for as much memory and time as they can, each in another way. `d` has 100,000 events with a text of
its own (`s`), a number (`n`), few words (`w`), an id (`u`), an object (`o`) and an array (`a`); `sparse` has 20,000
events with 20 of 2,000 fields (`f_0` to `f_1999`) and a number (`i`); `broad` has 20 events with 390 fields each, all of
them different: with the others fewer than the 10,000 that a union may have. `many` has 1,200,000 events with an id
(`k`), and in another organisation `wide` has 3 events with the same 90,000 fields."""


def doubled(field, times, function="strcat"):
    return "".join(f" | extend {field} = {function}({field}, {field})" for _ in range(times))


TEXTS = [
    f"d{doubled('s', 14)} | summarize max(strlen(s))",
    f"d{doubled('s', 18)} | summarize max(strlen(s))",
    f"d{doubled('s', 12)} | where s contains 'zzz' | count",
    f"d{doubled('s', 12)} | sort by s asc | take 5 | project n",
    f"d{doubled('s', 12)} | summarize count() by s | count",
    f"d{doubled('s', 10)} | distinct s | count",
    f"d{doubled('s', 10)} | take 50000",
    f"d{doubled('s', 12)} | summarize make_list(s)",
    f"d{doubled('s', 12)} | summarize make_set(s)",
    f"d{doubled('s', 12)} | summarize arg_max(n, s)",
    f"d{doubled('s', 12)} | summarize max(s), min(s) by w",
    f"d{doubled('s', 12)} | top 1000 by s",
    f"d | extend t = strrep(s, 10000) | summarize max(strlen(t))",
    "d | extend t = strrep(s, 100000) | where t has 'x' | count",
    "d | extend t = replace_string(s, 'e', strrep('x', 10000)) | summarize max(strlen(t))",
    "d | extend t = replace_regex('.', strrep('y', 1000), s) | summarize max(strlen(t))",
    "d | extend t = tohex(n), t2 = base64_encode_tostring(strrep(s, 5000)) | summarize max(strlen(t2))",
    "d | extend t = toupper(strrep(s, 20000)) | extend t = reverse(t) | summarize max(strlen(t))",
    "d | extend t = url_encode(strrep(s, 20000)) | summarize max(strlen(t))",
    "d | extend t = strcat_delim(strrep('-', 1000), s, s, s, s, s, s, s) | summarize max(strlen(t))",
]
ARRAYS = [
    "print a = range(1, 16000, 1) | mv-expand a | extend r = range(1, 1000000 + tolong(a), 1) "
    "| summarize max(array_length(r))",
    "d | extend r = range(1, 20000 + n, 1) | summarize max(array_length(r))",
    "d | extend r = range(1, 5000, 1) | mv-expand r | count",
    "d | extend r = range(1, 5000, 1) | mv-expand r | summarize count() by tostring(r) | count",
    "d | extend r = range(1, 200000, 1) | extend r = array_reverse(r) | summarize max(array_length(r))",
    "d | extend r = split(strrep(s, 2000), 'e') | summarize max(array_length(r))",
    "d | extend r = split(strrep(s, 2000), '') | mv-expand r | count",
    "d | extend r = extract_all('(.)', strrep(s, 500)) | summarize max(array_length(r))",
    f"d | extend r = a{doubled('r', 14, 'array_concat')} | summarize max(array_length(r))",
    f"d | extend r = a{doubled('r', 12, 'pack_array')} | summarize max(strlen(tostring(r)))",
    "d | extend r = set_union(range(1, 20000, 1), range(n, n + 20000, 1)) | summarize max(array_length(r))",
    "d | extend r = array_sort_desc(range(1, 50000, 1)) | summarize max(array_length(r))",
    "d | extend r = series_fir(range(1, 20000, 1), range(1, 50, 1)) | summarize max(array_length(r))",
    "d | extend r = strcat_array(range(1, 100000, 1), strrep(',', 50)) | summarize max(strlen(r))",
    "d | summarize r = make_list(s) | mv-expand r | summarize make_list(r)",
    "d | summarize r = make_list(u, 100000) by w | extend r = array_concat(r, r, r, r) | summarize make_list(r)",
]
OBJECTS = [
    "d | extend p = parse_json(strcat('[', strrep('1,', 100000), '1]')) | summarize max(array_length(p))",
    "d | extend p = parse_json(strcat('{\"a\":', strrep('[', 100), strrep(']', 100), '}')) | summarize count() by tostring(p)",
    "d | extend p = bag_pack('a', strrep(s, 5000), 'b', strrep(s, 5000)) | summarize max(strlen(tostring(p)))",
    "d | extend p = bag_pack('o', o, 'x', strrep(s, 10000)) | summarize make_list(p)",
    "d | summarize make_list(bag_pack(u, strrep(s, 100))) by n",
    "d | extend p = tostring(bag_zip(a, range(1, 3000, 1))) | extend p = strcat(p, p, s) | summarize make_set(p) by u | count",
    "d | mv-expand o | mv-expand a | count",
    "d | extend k = bag_keys(parse_json(strcat('{', strrep('\"a\":1,', 50000), '\"b\":2}'))) | summarize max(array_length(k))",
]
ROWS = [
    "d | join kind=inner (d | project w, b = s) on w | count",
    "d | join kind=inner (d | project w, b = s) on w | summarize max(strlen(strcat(s, b)))",
    "d | join kind=fullouter (d | extend z = strrep(s, 500)) on u | summarize max(strlen(z))",
    "d | lookup (d | extend z = strrep(s, 200) | project u, z) on u | summarize max(strlen(z))",
    "union d, d, d, d, d, d, d, d | sort by s desc, u asc | summarize make_list(u)",
    "d | summarize count(), dcount(s), make_set(u) by n | count",
    "d | summarize percentile(n, 50), make_list(s) by u | sort by u asc | count",
    "d | sort by s asc, u desc, n asc | extend t = strrep(s, 100) | summarize make_list(t)",
    "d | make-series count() on _time from datetime(2026-09-21) to datetime(2026-09-23) step 12h by s",
    "d | make-series m = max(n) on _time from datetime(2026-09-21) to datetime(2026-09-23) step 10m by w, tostring(n % 400)",
    "d | take 50000 | extend t = strrep(s, 1000)",
    "d | project s, t = strrep(s, 3000) | take 50000",
    "d | distinct s, u, n, w | summarize make_list(s), make_list(u)",
    "d | summarize topk(s, 10000), topk(u, 10000)",
    "d | summarize histogram(n, 100), make_list(s) by bin(_time, 1s), u | count",
    "d | extend a = s, b = s, c = s, e = s, f = s, g = s | summarize count() by a, b, c, e, f, g, u, n | count",
]

COLUMNS = [
    "sparse | distinct * | count",
    "search 'x'",
    "search in (sparse) 'value' | take 50000",
    "sparse | sort by i asc | take 10",
    "union sparse, sparse, sparse, sparse, sparse | sort by i asc | take 10",
    "sparse | union d, broad | sort by i desc | take 1000",
    "sparse | extend p = tostring(pack(*)) | summarize max(strlen(p)), make_list(p)",
    "sparse | summarize arg_max(i, *) by f_7",
    "sparse | summarize arg_max(i, *), arg_min(i, *) by f_7, f_9, i | count",
    "sparse | join kind=inner sparse on f_1 | take 100",
    "sparse | take 50000",
    "broad | distinct *",
    "broad | sort by _time asc",
    "broad | extend p = pack(*) | summarize make_list(p)",
    "broad | union broad, broad | summarize arg_max(_time, *)",
    "sparse | project-away f_1* | distinct * | sort by i asc",
]
TABLES = [
    "let a = d | project s, u, n; let b = union a, a; let c = union b, b; let e = union c, c; let f = union e, e; "
    "let g = union f, f; let h = union g, g; union h, h | sort by s asc | summarize make_list(s)",
    "let a = d | project s, u, n; let b = union a, a; let c = union b, b; let e = union c, c; let f = union e, e; "
    "union f, f | summarize count() by s, u | count",
    "let t = d | take 20000 | extend z = strrep(s, 100); d | take 20000 | join kind=inner (t) on u | summarize max(strlen(z)), make_list(z)",
    "d | extend z = strrep(s, 50) | join kind=inner (d | extend y = strrep(s, 50)) on u | summarize make_list(strcat(z, y))",
    "d | sort by s asc | project s, u | take 50000",
]

# Of very many groups.
MANY = [
    "many | summarize count() by k | count",
    "many | summarize count(), max(n) by k | sort by count_ desc, k asc | take 100",
    "many | summarize make_list(n) by k | count",
    "many | distinct k | count",
    "many | sort by k asc | take 50000",
    "many | sort by k asc | project k | take 50000",
    "union many, many | sort by k asc | take 50000",
    "union many, many | sort by k asc | project k, n | take 50000",
    "many | join kind=inner many on k | count",
]
WIDE = [
    "wide | distinct *",
    "wide | take 3",
    "wide | sort by _time asc",
    "wide | where * has 'value 7' | distinct *",
    "wide | summarize arg_max(_time, *)",
    "search 'value'",
    "wide | project-away w_1* | summarize arg_max(_time, *), arg_min(_time, *)",
    "wide | getschema",
]
# Nothing but an answer will do for these: what they show is little, whatever they look at.
ANSWERED = {
    "d | sort by s asc | project s, u | take 50000",
    "sparse | sort by i asc | take 10",
    "many | sort by k asc | take 50000",
    "many | sort by k asc | project k | take 50000",
    "union many, many | sort by k asc | take 50000",
    "union many, many | sort by k asc | project k, n | take 50000",
    "many | summarize count() by k | count",
    "many | distinct k | count",
}

QUERIES = TEXTS + ARRAYS + OBJECTS + ROWS + COLUMNS + TABLES
