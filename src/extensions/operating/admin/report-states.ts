/** A report is open until an operator resolves it. */
export const REPORT_STATES = ["open", "resolved"] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** The audit action whose entry says why a report was resolved. */
export const RESOLVE = "report.resolve";
