// Which figures of the service are shown, in which groups, and how each is computed of two readings.

import { bytes, grouped, short, took } from "../../../values/show.ts";
import { quantile, type Reading, rate, total } from "./prometheus.ts";

export interface Figure {
  name: string;
  about: string;
  of: (before: Reading, after: Reading) => number | null;
  write: (value: number) => string;
  /** Above it, something is wrong. */
  badAbove?: number;
}

const perSecond = (value: number) => `${short(value)} / s`;
const seconds = (value: number) => took(value * 1e6);
const counter =
  (name: string, fits?: (labels: Record<string, string>) => boolean) => (before: Reading, after: Reading) =>
    rate(before, after, name, fits) ?? (total(after, name) === null ? null : 0);
const gauge = (name: string) => (_: Reading, after: Reading) => total(after, name);
const failed = (labels: Record<string, string>) => (labels.status ?? "").startsWith("5");

export const GROUPS: { name: string; figures: Figure[] }[] = [
  {
    name: "Taking in",
    figures: [
      { name: "Events", about: "that were taken in", of: counter("tidegauge_ingested_events_total"), write: perSecond },
      {
        name: "Bytes",
        about: "of these events",
        of: counter("tidegauge_ingested_bytes_total"),
        write: (value) => `${bytes(Math.round(value))} / s`,
      },
      {
        name: "In memory",
        about: "events that are in no segment yet",
        of: gauge("tidegauge_buffered_bytes"),
        write: (value) => bytes(value),
      },
      {
        name: "Write-ahead log",
        about: "on the disk",
        of: gauge("tidegauge_wal_bytes"),
        write: (value) => bytes(value),
      },
    ],
  },
  {
    name: "Queries",
    figures: [
      { name: "Queries", about: "that ended", of: counter("tidegauge_queries_total"), write: perSecond },
      {
        name: "Half of them within",
        about: "time of a query",
        of: (before, after) => quantile(before, after, "tidegauge_query_seconds", 0.5),
        write: seconds,
      },
      {
        name: "99 of 100 within",
        about: "time of a query",
        of: (before, after) => quantile(before, after, "tidegauge_query_seconds", 0.99),
        write: seconds,
      },
      { name: "Running", about: "at this moment", of: gauge("tidegauge_queries_running"), write: grouped },
      {
        name: "Waiting",
        about: "for their turn",
        of: gauge("tidegauge_queries_waiting"),
        write: grouped,
        badAbove: 32,
      },
      {
        name: "Sent away",
        about: "because too many waited",
        of: counter("tidegauge_queries_rejected_total"),
        write: perSecond,
        badAbove: 0,
      },
      {
        name: "Read from files",
        about: "by queries",
        of: counter("tidegauge_query_bytes_read_total"),
        write: (value) => `${bytes(Math.round(value))} / s`,
      },
    ],
  },
  {
    name: "Kept answers",
    figures: [
      {
        name: "Kept parts",
        about: "in memory, of queries that were asked before",
        of: gauge("tidegauge_query_cached_bytes"),
        write: (value) => bytes(value),
      },
      {
        name: "Memory of queries",
        about: "at this moment",
        of: gauge("tidegauge_query_memory_bytes"),
        write: (value) => bytes(value),
      },
      {
        name: "Kept parts that were wrong",
        about: "found by comparing; there should be none",
        of: gauge("tidegauge_partials_wrong_total"),
        write: grouped,
        badAbove: 0,
      },
    ],
  },
  {
    name: "Monitors and delivery",
    figures: [
      {
        name: "Late by",
        about: "99 of 100 runs of monitors",
        of: (before, after) => quantile(before, after, "tidegauge_monitor_lag_seconds", 0.99),
        write: seconds,
      },
      { name: "Messages sent", about: "to notifiers", of: counter("tidegauge_messages_sent_total"), write: perSecond },
      { name: "Messages waiting", about: "to be sent", of: gauge("tidegauge_outbox_waiting"), write: grouped },
      {
        name: "Oldest of them",
        about: "waits for",
        of: gauge("tidegauge_outbox_oldest_seconds"),
        write: seconds,
        badAbove: 300,
      },
      {
        name: "Dead letters",
        about: "messages that were given up",
        of: gauge("tidegauge_outbox_dead_letters"),
        write: grouped,
        badAbove: 0,
      },
    ],
  },
  {
    name: "Requests",
    figures: [
      { name: "Requests", about: "that were answered", of: counter("tidegauge_http_requests_total"), write: perSecond },
      {
        name: "Errors of the service",
        about: "answers from 500 on",
        of: counter("tidegauge_http_requests_total", failed),
        write: perSecond,
        badAbove: 0,
      },
      {
        name: "99 of 100 within",
        about: "time of a request",
        of: (before, after) => quantile(before, after, "tidegauge_http_request_seconds", 0.99),
        write: seconds,
      },
      { name: "Connections", about: "that are open", of: gauge("tidegauge_connections"), write: grouped },
      {
        name: "Failed jobs",
        about: "of the background; there should be none",
        of: gauge("tidegauge_job_failures_total"),
        write: grouped,
        badAbove: 0,
      },
    ],
  },
];
