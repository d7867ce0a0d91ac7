import type { Endpoint } from "../../http/endpoint.ts";
import { getProfile } from "./agents/get-profile.ts";
import { registerAnonymous } from "./agents/register-anonymous.ts";
import { updateProfile } from "./agents/update-profile.ts";
import { whoAmI } from "./agents/who-am-i.ts";
import { createApiKey } from "./api-keys/create-key.ts";
import { listApiKeys } from "./api-keys/list-keys.ts";
import { revokeApiKey } from "./api-keys/revoke-key.ts";
import { createOperatorToken } from "./operators/create-token.ts";
import { listOperatorTokens } from "./operators/list-tokens.ts";
import { mintChildKey } from "./operators/mint-child.ts";
import { revokeOperatorToken } from "./operators/revoke-token.ts";
import { claimAgent } from "./sign-in/claim-agent.ts";
import { finishSignIn } from "./sign-in/finish-sign-in.ts";
import { getSession } from "./sign-in/get-session.ts";
import { listSignInProviders } from "./sign-in/list-providers.ts";
import { openSession } from "./sign-in/open-session.ts";
import { signOut } from "./sign-in/sign-out.ts";
import { startSignIn } from "./sign-in/start-sign-in.ts";
import { createWalletChallenge } from "./wallet/create-challenge.ts";
import { getWallet } from "./wallet/get-wallet.ts";
import { signWalletChallenge } from "./wallet/sign-challenge.ts";
import { updateWallet } from "./wallet/update-wallet.ts";
import { createWorkspaceUploadUrl } from "./workspace/create-upload-url.ts";
import { deleteWorkspaceEntry } from "./workspace/delete-entry.ts";
import { deleteWorkspaceFile } from "./workspace/delete-file.ts";
import { finalizeWorkspaceUpload } from "./workspace/finalize-upload.ts";
import { getWorkspaceEntry } from "./workspace/get-entry.ts";
import { getWorkspaceQuota } from "./workspace/get-entry-quota.ts";
import { getWorkspaceFileQuota } from "./workspace/get-file-quota.ts";
import { listWorkspaceEntries } from "./workspace/list-entries.ts";
import { listWorkspaceFiles } from "./workspace/list-files.ts";
import { putWorkspaceEntry } from "./workspace/put-entry.ts";
import { putWorkspaceUpload } from "./workspace/put-upload.ts";
import { readWorkspaceFile } from "./workspace/read-file.ts";
import { storeWorkspaceFile } from "./workspace/store-file.ts";

export const identityEndpoints = {
	registerAnonymous,
	whoAmI,
	getProfile,
	updateProfile,
	createApiKey,
	listApiKeys,
	revokeApiKey,
	getWallet,
	updateWallet,
	createWalletChallenge,
	signWalletChallenge,
	listOperatorTokens,
	createOperatorToken,
	mintChildKey,
	revokeOperatorToken,
	listSignInProviders,
	startSignIn,
	finishSignIn,
	getSession,
	openSession,
	signOut,
	claimAgent,
	// Fixed paths come before greedy paths that would also match them.
	getWorkspaceEntry,
	putWorkspaceEntry,
	deleteWorkspaceEntry,
	listWorkspaceEntries,
	getWorkspaceQuota,
	getWorkspaceFileQuota,
	storeWorkspaceFile,
	createWorkspaceUploadUrl,
	putWorkspaceUpload,
	finalizeWorkspaceUpload,
	listWorkspaceFiles,
	readWorkspaceFile,
	deleteWorkspaceFile,
} satisfies Record<string, Endpoint>;
