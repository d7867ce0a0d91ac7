// Errors that D1 returns although nothing is wrong with the statements. The words are from
// developers.cloudflare.com/d1/observability/debug-d1 (August 2026). A full Durable Object throws SQLite's own words with the name of the
// code: src/workerd/util/sqlite.c++ of workerd, and developers.cloudflare.com/durable-objects/platform/limits.

/** D1 did nothing, and must not be called again. */
export const OVERLOADED = [
	"D1_ERROR: D1 DB is overloaded. Too many requests queued.",
	"D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
	"D1_ERROR: Too many requests queued.",
];
/** D1 did nothing. */
export const NOT_RUN = ["D1_ERROR: database is locked: SQLITE_BUSY"];
/** D1 or an object has no room for another row. */
export const FULL = [
	"D1_ERROR: Exceeded maximum DB size.",
	"D1_ERROR: Exceeded maximum DB size",
	"D1_ERROR: Your account has exceeded D1's maximum account storage limit, please contact Cloudflare to raise your limit",
	"D1_ERROR: database or disk is full: SQLITE_FULL",
	"database or disk is full: SQLITE_FULL",
];
/** D1 lost the connection or its object, before or after the statements took effect. */
export const MAY_HAVE_RUN = [
	"D1_ERROR: Network connection lost.",
	"D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
	"D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
	"D1_ERROR: Replica disconnected from primary.",
	"D1_ERROR: D1 DB reset because its code was updated.",
	"D1_ERROR: Failed to get session commit token",
	"D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
];
