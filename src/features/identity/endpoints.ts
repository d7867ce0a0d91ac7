// Lists every endpoint of identity: agents, keys, wallets, operator tokens, people and workspaces.
import type { Endpoint } from "../../http/endpoint.ts";
import { getProfile } from "./agents/get-profile.ts";
import { registerAnonymous } from "./agents/register-anonymous.ts";
import { updateProfile } from "./agents/update-profile.ts";
import { whoAmI } from "./agents/who-am-i.ts";
import { createKey } from "./api-keys/create-key.ts";
import { listKeys } from "./api-keys/list-keys.ts";
import { revokeKey } from "./api-keys/revoke-key.ts";
import { createToken } from "./operators/create-token.ts";
import { listTokens } from "./operators/list-tokens.ts";
import { mintChild } from "./operators/mint-child.ts";
import { revokeToken } from "./operators/revoke-token.ts";
import { claimAgent } from "./sign-in/claim-agent.ts";
import { finishSignIn } from "./sign-in/finish-sign-in.ts";
import { getSession } from "./sign-in/get-session.ts";
import { listProviders } from "./sign-in/list-providers.ts";
import { openSession } from "./sign-in/open-session.ts";
import { signOut } from "./sign-in/sign-out.ts";
import { startSignIn } from "./sign-in/start-sign-in.ts";
import { createChallenge } from "./wallet/create-challenge.ts";
import { getWallet } from "./wallet/get-wallet.ts";
import { signChallenge } from "./wallet/sign-challenge.ts";
import { updateWallet } from "./wallet/update-wallet.ts";
import { createUploadUrl } from "./workspace/create-upload-url.ts";
import { deleteEntry } from "./workspace/delete-entry.ts";
import { deleteFile } from "./workspace/delete-file.ts";
import { finalizeUpload } from "./workspace/finalize-upload.ts";
import { getEntry } from "./workspace/get-entry.ts";
import { getEntryQuota } from "./workspace/get-entry-quota.ts";
import { getFileQuota } from "./workspace/get-file-quota.ts";
import { listEntries } from "./workspace/list-entries.ts";
import { listFiles } from "./workspace/list-files.ts";
import { putEntry } from "./workspace/put-entry.ts";
import { putUpload } from "./workspace/put-upload.ts";
import { readFile } from "./workspace/read-file.ts";
import { storeFile } from "./workspace/store-file.ts";

export const identityEndpoints: readonly Endpoint[] = [
	registerAnonymous,
	whoAmI,
	getProfile,
	updateProfile,
	createKey,
	listKeys,
	revokeKey,
	getWallet,
	updateWallet,
	createChallenge,
	signChallenge,
	listTokens,
	createToken,
	mintChild,
	revokeToken,
	listProviders,
	startSignIn,
	finishSignIn,
	getSession,
	openSession,
	signOut,
	claimAgent,
	// Fixed paths come before the greedy paths that would match them too.
	getEntry,
	putEntry,
	deleteEntry,
	listEntries,
	getEntryQuota,
	getFileQuota,
	storeFile,
	createUploadUrl,
	putUpload,
	finalizeUpload,
	listFiles,
	readFile,
	deleteFile,
];
