import { BountyConnectionError } from "./errors.ts";
import { isRecord, trustDocument } from "./json.ts";

/** The type of a list's items, which the type of its pages contains. */
export type ItemOf<Whole> = Whole extends { data: readonly (infer Item)[] }
	? Item
	: Whole extends { entries: readonly (infer Entry)[] }
		? Entry
		: never;

export interface Page<Whole> {
	readonly items: readonly ItemOf<Whole>[];
	/** Null on the last page. */
	readonly nextCursor: string | null;
	/** The whole response, including the list's own fields. */
	readonly response: Whole;
}

/** Gets one page. `undefined` gets the first one. */
type Fetcher<Whole> = (cursor: string | undefined) => Promise<Whole>;

/** A list in pages. Iterate over it for its items; `pages()` gives whole pages, and `page()` a single one. Nothing is sent before that. */
export class Paged<Whole> implements AsyncIterable<ItemOf<Whole>> {
	readonly #fetch: Fetcher<Whole>;

	constructor(fetch: Fetcher<Whole>) {
		this.#fetch = fetch;
	}

	/** Returns one page: the first page, or the page of a `nextCursor`. */
	async page(cursor?: string): Promise<Page<Whole>> {
		const response = await this.#fetch(cursor);
		const { items, nextCursor } = readPage(response);
		return { items: trustDocument<readonly ItemOf<Whole>[]>(items), nextCursor, response };
	}

	/** Yields all pages, one after the other. */
	async *pages(): AsyncGenerator<Page<Whole>, void, undefined> {
		for (let cursor: string | undefined; ; ) {
			const page = await this.page(cursor);
			yield page;
			if (page.nextCursor === null) return;
			if (page.nextCursor === cursor) throw new BountyConnectionError("The list does not continue: a page names itself as the next one.");
			cursor = page.nextCursor;
		}
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Whole>, void, undefined> {
		for await (const { items } of this.pages()) yield* items;
	}

	/** Returns all items of all pages, or the first `limit` of them. */
	async toArray(limit = Number.POSITIVE_INFINITY): Promise<ItemOf<Whole>[]> {
		const all: ItemOf<Whole>[] = [];
		if (limit <= 0) return all;
		for await (const item of this) {
			all.push(item);
			if (all.length >= limit) break;
		}
		return all;
	}
}

/** Reads a page. Lists have their items in `data` or `entries`, and their cursor in `pagination` or next to the items. */
function readPage(response: unknown): { readonly items: readonly unknown[]; readonly nextCursor: string | null } {
	if (!isRecord(response)) throw new BountyConnectionError("The response is not a page of a list.");
	const items = response["data"] ?? response["entries"];
	const { next_cursor: cursor } = isRecord(response["pagination"]) ? response["pagination"] : response;
	if (!Array.isArray(items)) throw new BountyConnectionError("The response is not a page of a list.");
	return { items, nextCursor: typeof cursor === "string" ? cursor : null };
}
