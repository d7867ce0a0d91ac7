// Reads the cost of a request from its log line.
import { expect, vi } from "vitest";

export interface RequestUse {
	readonly status: number;
	readonly d1_calls: number;
	readonly d1_rows_read: number;
	readonly d1_rows_written: number;
	readonly object_calls: number;
}

/** Sends a request, and reads its cost from the log line with the request's id. */
export async function measure(send: () => Promise<Response>): Promise<RequestUse> {
	const lines = vi.spyOn(console, "log").mockImplementation(() => {});
	try {
		const response = await send();
		const id = response.headers.get("X-Request-Id") ?? "";
		await response.arrayBuffer();
		const line = lines.mock.calls.map(([text]) => String(text)).find((text) => text.includes(id));
		expect(line).toBeDefined();
		return JSON.parse(line ?? "{}");
	} finally {
		lines.mockRestore();
	}
}
