// Reports how much of a request's body has been sent, which `fetch` cannot do.
import { credentialHeaders, withHeaders } from "./client.ts";
import type { Fetch } from "./sdk.ts";

/** Returns a `fetch` for one call of the client. `onProgress` gets the share that has been sent, from 0 to 1. */
export function fetchWithProgress(onProgress: (share: number) => void): Fetch {
	return (url, init) => {
		const { method = "GET", headers, body, signal } = withHeaders(init, credentialHeaders(init?.method));
		return new Promise<Response>((resolve, reject) => {
			const sending = new XMLHttpRequest();
			sending.open(method, url);
			for (const [name, value] of new Headers(headers)) sending.setRequestHeader(name, value);
			sending.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total));
			sending.addEventListener("load", () => resolve(toResponse(sending)));
			sending.addEventListener("error", () => reject(new TypeError("The connection was lost.")));
			signal?.addEventListener("abort", () => sending.abort());
			sending.addEventListener("abort", () => reject(new DOMException("The request was aborted.", "AbortError")));
			sending.send(body instanceof ReadableStream ? null : body);
		});
	};
}

function toResponse(sent: XMLHttpRequest): Response {
	return new Response(sent.responseText, { status: sent.status, headers: readHeaders(sent.getAllResponseHeaders()) });
}

function readHeaders(lines: string): Headers {
	const headers = new Headers();
	for (const line of lines.trim().split(/\r?\n/)) {
		const colon = line.indexOf(":");
		if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
	}
	return headers;
}
