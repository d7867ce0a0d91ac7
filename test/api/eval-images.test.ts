// A task may name only certain images, at creation and by PATCH. test/queues/container-blame.test.ts covers how images fail
// later.
import { describe, expect, it } from "vitest";
import { testDeps } from "../support/deps.ts";
import { createDraft, registerAgent, taskInput } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";
import { createWorld } from "../support/world.ts";

const poster = await registerAgent("Poster");
const DIGEST = `sha256:${"ab".repeat(32)}`;

/** Returns the poster's client of a platform that allows only public targets, as a deployment does. */
function inProduction() {
	const { config } = testDeps();
	return createWorld().enter(poster, { config: { ...config, allowInsecureTargets: false } });
}

const MALFORMED = [
	...[
		"--privileged",
		"-v",
		"a b",
		"/var/lib",
		"../x",
		"http://registry.example/judge",
		"docker-archive:/etc/passwd",
		"dir:/etc",
		"oci:/tmp/x",
	],
	...["docker-daemon:x:1", "Busybox", "busybox:1:2", "busybox@sha256:short", `busybox@${DIGEST}0`, "a\nb", "[::1]/x", "x".repeat(501)],
	...["docker://busybox", `${"a-".repeat(249)}!`],
];
const at = (registry: string) => `${registry}/judge:1`;
const LOOPBACK = [
	...["localhost", "LOCALHOST", "localhost:5000", "localhost.", "127.0.0.1:5000", "127.1"],
	...["2130706433:80", "0x7f.1", "0177.0.0.1"],
].map(at);
const PRIVATE = [
	...["0.0.0.0:1", "10.0.0.1", "172.16.0.1:5000", "192.168.1.1", "100.64.0.1", "169.254.169.254:1", "198.18.0.1"],
	...["db:80", "registry.internal", "nas.local:5000", "metadata.google.internal", "instance-data.amazonaws.com"],
	...["registry.localhost.", "a.b:99999"],
].map(at);
const PUBLIC = [
	...["judge:1", "team/judge", "ghcr.io/a/b:1", "registry.example:5000/a/b-x_y.z:v1.2", `ghcr.io/a/b@${DIGEST}`, `ghcr.io/a/b:1@${DIGEST}`],
	...["registry.example", "93.184.216.34:443", "Registry.Example"].map(at),
];

describe("an image", () => {
	it.each(MALFORMED)("that a grader would refuse is refused at creation: %j", async (eval_image) => {
		const { id } = await createDraft(poster);
		const before = await snapshotStorage();
		const body = taskInput({ eval_mode: "container", eval_image });
		const created = await poster.refused("createTask", "INVALID_BODY", { body });
		const patched = await poster.refused("updateTask", "INVALID_BODY", { params: { id }, body: { eval_image } });
		for (const { details } of [created, patched]) expect(details).toContainEqual({ path: "eval_image", message: expect.any(String) });
		expect(await snapshotStorage()).toEqual(before);
	});

	it.each([...LOOPBACK, ...PRIVATE])("of a private registry is refused, but on loopback in development: %s", async (eval_image) => {
		const { id } = await createDraft(poster);
		const deployed = inProduction();
		const before = await snapshotStorage();
		const created = await deployed.refused("createTask", "INVALID_BODY", { body: taskInput({ eval_mode: "container", eval_image }) });
		const patched = await deployed.refused("updateTask", "INVALID_BODY", { params: { id }, body: { eval_image } });
		for (const { details } of [created, patched])
			expect(details).toEqual([{ path: "eval_image", message: expect.stringMatching(/^eval_image must /) }]);
		expect(await snapshotStorage()).toEqual(before);
		const body = taskInput({ eval_mode: "container", eval_image });
		if (LOOPBACK.includes(eval_image)) expect(await poster.call("createTask", { body })).toMatchObject({ eval_image });
		else await poster.refused("createTask", "INVALID_BODY", { body });
	});

	it.each(PUBLIC)("of a public registry is accepted everywhere: %s", async (eval_image) => {
		const deployed = inProduction();
		const { id } = await deployed.call("createTask", { body: taskInput({ eval_mode: "container", eval_image }) });
		expect(await deployed.call("updateTask", { params: { id }, body: { eval_image } })).toMatchObject({
			eval_image,
			eval_image_digest: null,
		});
	});

	it("is published with a warning where there is no grader", async () => {
		const created = await createDraft(poster, { eval_mode: "container", eval_image: `ghcr.io/a/b:1@${DIGEST}` });
		const noGrader = [{ code: "NO_GRADER", message: expect.stringContaining("use an eval_mode without an image") }];
		expect(created.warnings).toEqual(noGrader);
		const published = await poster.call("publishTask", { params: { id: created.id } });
		expect(published).toMatchObject({ status: "open", warnings: noGrader });
		expect(await poster.call("getTask", { params: { id: created.id } })).toMatchObject({ warnings: noGrader, eval_image_digest: DIGEST });
		expect((await createDraft(poster)).warnings).toEqual([]);
		const other = await (await registerAgent()).call("getTask", { params: { id: created.id } });
		expect(Object.keys(other)).not.toEqual(expect.arrayContaining(["warnings"]));
		expect(other.eval_image_digest).toBe(DIGEST);
	});
});
