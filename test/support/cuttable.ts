// Provides a network that can be cut: everything goes through a local TCP relay, whose connections can be destroyed.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttableNetwork {
	/** The server's URL in this network. */
	readonly url: string;
	/** Destroys every connection. New ones work. */
	cut(): void;
	close(): Promise<void>;
}

/**
 * Opens a relay to a local server whose connections break on demand in the middle of a transfer, as in real networks. 0 chooses any free
 * port.
 */
export async function openCuttableNetwork(target: string, listenPort = 0): Promise<CuttableNetwork> {
	const port = Number(new URL(target).port);
	const sockets = new Set<Socket>();
	const keep = (socket: Socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
		socket.on("error", () => {});
	};
	const relay = createServer((client) => {
		const upstream = connect(port, "127.0.0.1");
		keep(client);
		keep(upstream);
		client.pipe(upstream).pipe(client);
		client.on("close", () => upstream.destroy());
		upstream.on("close", () => client.destroy());
	});
	relay.listen(listenPort, "127.0.0.1");
	await once(relay, "listening");
	const address = relay.address() as AddressInfo;
	const cut = () => {
		for (const socket of sockets) socket.destroy();
	};
	return {
		url: `http://127.0.0.1:${address.port}`,
		cut,
		async close() {
			relay.close();
			cut();
			await once(relay, "close");
		},
	};
}
