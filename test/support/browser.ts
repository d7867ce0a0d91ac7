// Provides Chromium through playwright-core, for tests of what browsers see. Tests do not download it; `.ci/run` installs Debian's.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const USUAL_PATHS = [
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	"/usr/bin/google-chrome-stable",
	"/snap/bin/chromium",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The reason in the title of a test that was skipped. */
export const NO_BROWSER = "No Chromium was found: install it, or set CHROMIUM_PATH to its executable.";

/** Returns the executable that `CHROMIUM_PATH` names, or otherwise the first in a usual place, or null. */
export function findBrowser(): string | null {
	const wanted = process.env["CHROMIUM_PATH"];
	const paths = wanted === undefined || wanted === "" ? USUAL_PATHS : [wanted];
	return paths.find((path) => existsSync(path)) ?? null;
}

/**
 * The browser obeys only the last list of disabled features, so this one repeats the features of Playwright's list that matter here. The
 * first two would render the list below the URL field for each window.
 */
const FEATURES_OFF = [
	...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
	...["AimEnabled", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "MediaRouter", "NetworkTimeServiceQuerying"],
	...["OptimizationHints", "PaintHolding", "PreconnectToSearch"],
];

let shared: Promise<Browser> | null = null;

/**
 * Returns a browser without a window. The test files of a process share it, because it starts more slowly than most pages load, so each
 * file closes its own contexts. The browser ends with the process.
 */
export function shareBrowser(): Promise<Browser> {
	shared ??= launchBrowser();
	return shared;
}

async function launchBrowser(): Promise<Browser> {
	const executablePath = findBrowser();
	if (executablePath === null) throw new Error(NO_BROWSER);
	// Containers have no user namespaces for the sandbox, a small /dev/shm and no graphics card. The flags are safe because the pages are
	// the tests' own.
	const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", `--disable-features=${FEATURES_OFF.join(",")}`];
	return chromium.launch({ executablePath, args });
}
