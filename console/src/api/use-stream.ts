import { useEffect, useEffectEvent, useState } from "react";
import type { FollowOptions } from "./sdk.ts";

export type StreamStatus = "connecting" | "live" | "waiting" | "ended" | "failed";

interface StreamState {
	readonly status: StreamStatus;
	/** Set when the platform rejects the stream. A lost connection is retried for as long as the page is open. */
	readonly error: Error | null;
}

/** Follows a stream of the API while the component is shown. A new `id` opens another stream. */
export function useStream<Event>(
	id: string,
	open: (id: string, options: FollowOptions) => AsyncIterable<Event>,
	onEvent: (event: Event) => void,
): StreamState {
	const [state, setState] = useState<StreamState>({ status: "connecting", error: null });
	const handle = useEffectEvent(onEvent);
	const start = useEffectEvent(open);
	useEffect(() => {
		const controller = new AbortController();
		const { signal } = controller;
		const show = (status: StreamStatus, error: Error | null = null) => {
			if (!signal.aborted) setState({ status, error });
		};
		const followed = start(id, {
			signal,
			maxOutageMs: Number.POSITIVE_INFINITY,
			onOpen: () => show("live"),
			onReconnect: () => show("waiting"),
		});
		const run = async () => {
			for await (const event of followed) handle(event);
			show("ended");
		};
		show("connecting");
		run().catch((error: unknown) => show("failed", error instanceof Error ? error : new Error(String(error))));
		return () => controller.abort();
	}, [id]);
	return state;
}
