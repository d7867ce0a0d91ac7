const ITEM = "console.reloaded";
const AGAIN_MS = 60_000;

/** After a deployment, a page that was open asks for chunks that are gone: reloads it, at most once a minute. */
export function reloadAfterDeployment(): void {
	window.addEventListener("vite:preloadError", (event) => {
		const last = Number(sessionStorage.getItem(ITEM) ?? 0);
		if (Date.now() - last < AGAIN_MS) return;
		sessionStorage.setItem(ITEM, String(Date.now()));
		event.preventDefault();
		location.reload();
	});
}
