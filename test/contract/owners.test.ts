// Lists what belongs to the core. What is not listed here belongs to an extension, and says so with `owner`.
import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/compose/endpoints.ts";
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import { ERRORS } from "../../src/domain/errors.ts";
import { EVENTS } from "../../src/domain/events.ts";
import { EXTENSION_NAMES } from "../../src/domain/extension-names.ts";
import { type Owned, ownerOf } from "../../src/domain/owners.ts";

/** Agents and posters can use a platform that has only these. */
const CORE_OPERATIONS = [
	"getReceiptKeys",
	"listApiKeys",
	"createApiKey",
	"revokeApiKey",
	"finishSignIn",
	"claimAgent",
	"listSignInProviders",
	"getSession",
	"openSession",
	"startSignIn",
	"signOut",
	"getDashboardStats",
	"listDashboardSubmissions",
	"getHandbook",
	"listPublicTasks",
	"getPublicTask",
	"getPublicLeaderboard",
	"streamPublicTask",
	"getSubmissionDetails",
	"getSubmissionStatus",
	"listAttachments",
	"addAttachment",
	"deleteAttachment",
	"downloadAttachment",
	"getProfile",
	"updateProfile",
	"registerAnonymous",
	"whoAmI",
	"streamBounties",
	"listDeals",
	"createDeal",
	"listDocs",
	"getDocsPage",
	"searchDocs",
	"listOperatorTokens",
	"createOperatorToken",
	"mintChildKey",
	"revokeOperatorToken",
	"searchTasks",
	"listSubmissions",
	"getSubmission",
	"getArtifact",
	"putArtifact",
	"completeSubmission",
	"postExternalScore",
	"listSubmissionFiles",
	"readSubmissionFile",
	"requestReEvaluation",
	"streamSubmission",
	"uploadArtifact",
	"refreshUploadUrl",
	"listTasks",
	"createTask",
	"getTask",
	"updateTask",
	"deleteTask",
	"cloneTask",
	"closeTask",
	"listCompetitors",
	"removeCompetitor",
	"streamTask",
	"exportTask",
	"extendTask",
	"replaceInviteCode",
	"joinTask",
	"getLeaderboard",
	"streamLeaderboard",
	"publishTask",
	"quickSubmit",
	"replaceRubric",
	"listTaskSubmissions",
	"createSubmission",
	"uploadTestSuite",
	"downloadTestSuite",
	"getWallet",
	"updateWallet",
	"createWalletChallenge",
	"signWalletChallenge",
	"echoChallenge",
	"listWebhooks",
	"createWebhook",
	"updateWebhook",
	"deleteWebhook",
	"listWebhookDeliveries",
	"replayWebhookDelivery",
	"rotateWebhookSecret",
	"testWebhook",
	"listWorkspaceFiles",
	"storeWorkspaceFile",
	"finalizeWorkspaceUpload",
	"getWorkspaceFileQuota",
	"createWorkspaceUploadUrl",
	"readWorkspaceFile",
	"deleteWorkspaceFile",
	"listWorkspaceEntries",
	"getWorkspaceEntry",
	"putWorkspaceEntry",
	"deleteWorkspaceEntry",
	"getWorkspaceQuota",
	"putWorkspaceUpload",
	"getDocsHome",
	"readDocs",
	"getHealth",
	"getOpenApi",
	"getOpenApiPiece",
	"getReadiness",
	"getReference",
];

const CORE_EVENTS = [
	"submission.created",
	"submission.completed",
	"submission.failed",
	"evaluation.completed",
	"task.matched",
	"task.opened",
	"task.closed",
	"task.status_changed",
	"task.warning",
	"deal.created",
	"task.updated",
	"task.extended",
	"leaderboard.leader_changed",
	"submission.running",
];

const ADD = "if the core cannot do without it, add it to";

describe("the core", () => {
	it("has these operations, and every other names its extension", () => {
		const core = endpoints.filter((endpoint) => ownerOf(endpoint) === "core").map(({ operationId }) => operationId);
		expect(core.toSorted(), `Set \`owner\`, or ${ADD} CORE_OPERATIONS`).toEqual(CORE_OPERATIONS.toSorted());
	});

	it("has these events, and every other names its extension", () => {
		const core = Object.entries(EVENTS).filter(([, event]) => ownerOf(event) === "core");
		expect(core.map(([name]) => name).toSorted(), `Set \`owner\`, or ${ADD} CORE_EVENTS`).toEqual(CORE_EVENTS.toSorted());
	});

	it("has every error, because an extension refuses with the errors that clients know", () => {
		const errors: Readonly<Record<string, Owned & { status: number }>> = ERRORS;
		expect(Object.entries(errors).filter(([, error]) => ownerOf(error) !== "core")).toEqual([]);
	});

	it("has every setting but these", () => {
		const owned = listSettings(settings).filter((setting) => ownerOf(setting) !== "core");
		expect(Object.fromEntries(owned.map((setting) => [setting.variable, ownerOf(setting)]))).toEqual({
			ADMIN_TOKEN_SHA256: "operating",
			SECURITY_CONTACT: "operating",
			ALERT_WEBHOOK: "operating",
			HEARTBEAT_URL: "operating",
			FINAL_ROUND_DEFAULT: "final-round",
			JUDGE_CHECK: "judge-check",
		});
	});
});

describe("an extension", () => {
	it("owns something, or works on what others own", () => {
		const owners = new Set<string>([...endpoints, ...Object.values(EVENTS), ...listSettings(settings)].map(ownerOf));
		expect(EXTENSION_NAMES.filter((name) => !owners.has(name))).toEqual(["similarity"]);
	});
});
