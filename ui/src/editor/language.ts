// Colours for the words of the query language. It looks at single words only; what they mean is the service's to say.

import { StreamLanguage, type StreamParser } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const OPERATORS = new Set(
  (
    "where filter extend extend-valid project project-away project-keep project-rename project-reorder summarize count distinct sort order top take limit " +
    "sample union join lookup parse parse-where parse-kv mv-expand search redact make-series getschema externaldata print datatable let set declare"
  ).split(" "),
);
const WORDS = new Set(
  "by asc desc and or not in between contains has startswith endswith matches regex kind on with nulls first last true false null to typeof step from default has_any hasprefix hassuffix".split(
    " ",
  ),
);

interface State {
  afterBar: boolean;
}

const parser: StreamParser<State> = {
  startState: () => ({ afterBar: true }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    const sign = stream.peek();
    if (sign === '"' || sign === "'") {
      stream.next();
      let escaped = false;
      for (let next = stream.next(); next && (next !== sign || escaped); next = stream.next()) {
        escaped = next === "\\" && !escaped;
      }
      return "string";
    }
    if (sign === "|") {
      stream.next();
      state.afterBar = true;
      return "operator";
    }
    if (stream.match(/^\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:ms|[smhdw])?\b/i)) return "number";
    const word = stream.match(/^[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)*/, false) as RegExpMatchArray | null;
    if (word) {
      const plain = OPERATORS.has(word[0]) ? word[0] : word[0].replace(/-.*/, "");
      stream.match(plain);
      const starts = state.afterBar;
      state.afterBar = false;
      if (starts && OPERATORS.has(plain)) return "keyword";
      if (WORDS.has(plain)) return "operatorKeyword";
      if (stream.match(/^\s*\(/, false)) return "function";
      return "variableName";
    }
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{", '"', "'"] } },
  tokenTable: { function: tags.function(tags.variableName) },
};

export const queryLanguage = StreamLanguage.define({ ...parser, name: "apl" });
