// Loads what the Worker imports only when a request needs it.
import { loadLibrary } from "../../src/extensions/oauth/library.ts";
import * as oauthPage from "../../src/extensions/oauth/page.ts";
import * as page from "../../src/extensions/pages/page.ts";
import { loadWebAuthn } from "../../src/extensions/passkeys/webauthn.ts";

/**
 * Loads these modules before a test sends different requests in parallel. Vitest loads a module within one request, and the Workers runtime
 * cancels other requests that wait for the same module. A built Worker has all modules in its bundle.
 */
export async function loadLateModules(): Promise<void> {
	for (const load of [page.loadViews, oauthPage.loadViews, loadLibrary, loadWebAuthn]) await load();
}
