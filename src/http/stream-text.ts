/**
 * Streams a body in parts, and produces each part when the client is ready for it. If producing a part fails, the body breaks off, so that
 * it does not look complete.
 */
export function streamText(parts: AsyncGenerator<string | Uint8Array, void>): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const { done, value } = await parts.next();
				if (done === true) controller.close();
				else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
			},
			async cancel() {
				await parts.return();
			},
		},
		{ highWaterMark: 0 },
	);
}
