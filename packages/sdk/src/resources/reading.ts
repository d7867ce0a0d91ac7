import type { QueryOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import { listOf } from "../core/pages.ts";
import { Resource } from "../core/resource.ts";

/** Finding tasks by words. */
export class Search extends Resource {
	/** Tasks that match, best first. */
	tasks(query: QueryOf<"searchTasks">, options: CallOptions = {}) {
		return listOf(this.core, "searchTasks", { query, ...options });
	}
}

/** Numbers and lists for a poster's overview. */
export class Dashboard extends Resource {
	stats(options: CallOptions = {}) {
		return this.core.call("getDashboardStats", options);
	}

	submissions(query: QueryOf<"listDashboardSubmissions"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listDashboardSubmissions", { query, ...options });
	}
}

/** The public keys that receipts are signed with. */
export class Receipts extends Resource {
	/** The key set for `verifyReceipt`. */
	keys(options: CallOptions = {}) {
		return this.core.call("getReceiptKeys", options);
	}
}

/** The platform's documentation. */
export class Docs extends Resource {
	list(options: CallOptions = {}) {
		return this.core.call("listDocs", options);
	}

	/** A page, such as `concepts/tasks`, with its Markdown. */
	page(slug: string, options: CallOptions = {}) {
		return this.core.call("getDocsPage", { path: { slug }, query: { format: "json" }, ...options });
	}

	search(query: QueryOf<"searchDocs">, options: CallOptions = {}) {
		return this.core.call("searchDocs", { query, ...options });
	}

	/** Facts about the API as JSON. */
	handbook(options: CallOptions = {}) {
		return this.core.call("getHandbook", options);
	}

	/** The OpenAPI document of this platform. */
	openApi(options: CallOptions = {}) {
		return this.core.call("getOpenApi", options);
	}

	/** A document with one operation and the schemas that it needs. */
	openApiOperation(operationId: string, options: CallOptions = {}) {
		return this.core.call("getOpenApiPiece", { path: { piece: `${operationId}.json` }, ...options });
	}

	/** A document with the operations of one tag. */
	openApiTag(tag: string, options: CallOptions = {}) {
		return this.core.call("getOpenApiPiece", { path: { piece: `tags/${tag}.json` }, ...options });
	}

	/** Whether the platform works. */
	health(options: CallOptions = {}) {
		return this.core.call("getHealth", options);
	}
}
