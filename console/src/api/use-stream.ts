import { useEffect, useEffectEvent, useState } from "react";
import type { ApiError } from "./error.ts";
import { followStream, type StreamStatus } from "./stream.ts";
import type { StreamEvent } from "./stream-parser.ts";

interface StreamState {
	readonly status: StreamStatus;
	readonly error: ApiError | null;
}

/** Follows a stream of the API while the component is shown. `onEvent` gets each event; parse its data with parseEventData. */
export function useStream(path: string, onEvent: (event: StreamEvent) => void): StreamState {
	const [state, setState] = useState<StreamState>({ status: "connecting", error: null });
	const handle = useEffectEvent(onEvent);
	useEffect(() => {
		const controller = new AbortController();
		const listener = {
			onEvent: (event: StreamEvent) => handle(event),
			onStatus: (status: StreamStatus, error: ApiError | null) => setState({ status, error }),
		};
		void followStream(path, listener, controller.signal);
		return () => controller.abort();
	}, [path]);
	return state;
}

/** The data of an event. Safe, because the API document describes it and the platform's tests hold it to that. */
export function parseEventData<Data>({ data }: StreamEvent): Data {
	return JSON.parse(data);
}
