// The deploy script loads this file, which sends requests for the deployed Worker to the platform at REHEARSAL_URL on this machine.
const send = globalThis.fetch;

globalThis.fetch = (input, init) => {
	const url = new URL(input instanceof Request ? input.url : input);
	return send(url.hostname.endsWith(".workers.dev") ? process.env.REHEARSAL_URL + url.pathname + url.search : input, init);
};
