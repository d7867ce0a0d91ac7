// Loads the code of a page, so that the browser's own error page never replaces the console.

import { lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { noteFailure } from "../api/connection.ts";

const ITEM = "console.reloaded";
const AGAIN_MS = 60_000;

/** A page's code could not be loaded: the browser is offline, or a deployment has replaced the code. */
export class PageUnavailableError extends Error {
	override readonly name = "PageUnavailableError";
}

/** Returns a component for a page whose code loads when the page is opened. */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
	return lazyRouteComponent(() => loadPage(load), name);
}

async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
	try {
		return await load();
	} catch (cause) {
		if (mayReload() && (await isReachable())) {
			sessionStorage.setItem(ITEM, String(Date.now()));
			location.reload();
			return new Promise<Module>(() => undefined);
		}
		noteFailure(cause);
		throw new PageUnavailableError("This part of the console could not be loaded.", { cause });
	}
}

/**
 * Returns true unless this tab reloaded itself less than a minute ago. A reload helps if a deployment has replaced the chunks of an open
 * page.
 */
function mayReload(): boolean {
	return Date.now() - Number(sessionStorage.getItem(ITEM) ?? 0) >= AGAIN_MS;
}

/** Returns true if the platform responds now. */
export async function isReachable(): Promise<boolean> {
	try {
		return (await fetch(location.href, { method: "HEAD", cache: "no-store" })).ok;
	} catch {
		return false;
	}
}
