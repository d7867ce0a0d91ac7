// Loaded into the deploy script by its test: the address of the deployed Worker answers as a healthy one.
const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
	const { hostname, pathname } = new URL(input instanceof Request ? input.url : input);
	if (hostname.endsWith(".workers.dev") && pathname === "/health") return Response.json({ status: "ok", environment: "production" });
	return send(input, init);
};
