// What the query of a new panel begins with, so that something is seen at once.

export function beginningQuery(type: string, dataset: string): string {
  switch (type) {
    case "Statistic":
      return `${dataset}\n| summarize count() by bin_auto(_time)`;
    case "TimeSeries":
      return `${dataset}\n| summarize count() by bin_auto(_time)`;
    case "Heatmap":
      return `${dataset}\n| summarize histogram(duration_ms, 20) by bin_auto(_time)`;
    case "LogStream":
      return `${dataset}\n| take 100`;
    case "Scatter":
    case "Table":
    case "Pie":
    case "TopK":
      return `${dataset}\n| summarize count() by service`;
    default:
      return dataset;
  }
}
