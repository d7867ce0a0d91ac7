import type { Core } from "./core.ts";

/** A group of endpoints on a client. */
export class Resource {
	protected readonly core: Core;

	constructor(core: Core) {
		this.core = core;
	}
}
