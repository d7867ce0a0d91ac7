/** A report is open until an operator resolves it. */
export const REPORT_STATES = ["open", "resolved"] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** The audit log says under this name why a report is resolved. */
export const RESOLVE = "report.resolve";
