// What the package exports. It runs wherever `fetch` does; only `@bounty-platform/sdk/node` reads files.
export { BountyClient } from "./client.ts";
export type { OpenResponse } from "./core/body-stream.ts";
export type { ApiResponse } from "./core/core.ts";
export {
	BountyApiError,
	BountyCheckError,
	BountyConnectionError,
	BountyError,
	BountyIncompleteError,
	BountyTimeoutError,
	BountyUsageError,
	type NextAction,
} from "./core/errors.ts";
export type { BountyEvent, LeaderboardEvent, PublicTaskEvent, TaskEvent, WebhookEvent } from "./core/events.ts";
export type { FollowOptions, StreamEvent } from "./core/follow.ts";
export type { BodyOf, InputOf, OperationId, QueryOf, ResultOf } from "./core/operation-types.ts";
export type { CallOptions, ClientOptions, Fetch } from "./core/options.ts";
export type { ItemOf, Page, Paged } from "./core/pages.ts";
export type { Schemas } from "./core/schemas.ts";
export { OPERATIONS } from "./generated/operations.ts";
export type { components, operations, paths, webhooks } from "./generated/schema.ts";
export type { ReceiptClaims, ReceiptSample } from "./receipt/claims.ts";
export { VerificationError } from "./receipt/signature.ts";
export { type ReceiptMaterial, sha256Hex, type VerifiedReceipt, verifyReceipt } from "./receipt/verify.ts";
export type { DryRunOptions, NewAttachment } from "./resources/posting.ts";
export type { TestSuite } from "./resources/tasks.ts";
export type { Conditions, StoredValue, StoreOptions } from "./resources/workspace.ts";
export { decodeUtf8, type FileContent, type FileSet } from "./submit/files.ts";
export { type SubmissionEvent, SubmissionHandle } from "./submit/handle.ts";
export type { SubmitOptions, SubmitProgress, Submittable } from "./submit/submit.ts";
export type { UploadOptions, UploadProgress } from "./submit/upload.ts";
export { isOver, type WaitOptions } from "./submit/wait.ts";
export { packZip, type ZipOptions } from "./submit/zip.ts";
export { verifyWebhook, type WebhookHeaders, type WebhookOptions, WebhookVerificationError } from "./webhook/verify-webhook.ts";
