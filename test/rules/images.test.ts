// Tests image references: their parts, and the registries that a poster may send the grader to.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOfReference, IMAGE_REFERENCE, registryOfReference, repositoryOfReference } from "../../src/domain/image-reference.ts";
import { findRegistryFault } from "../../src/platform/outbound.ts";

const DIGEST = `sha256:${"ab".repeat(32)}`;

describe("a reference", () => {
	it.each([
		["busybox", { registry: null, repository: "busybox", digest: null }],
		["busybox:1.37", { registry: null, repository: "busybox", digest: null }],
		["team/judge:1", { registry: null, repository: "team/judge", digest: null }],
		["ghcr.io/a/b", { registry: "ghcr.io", repository: "ghcr.io/a/b", digest: null }],
		["registry.example:5000/a/b:v1", { registry: "registry.example:5000", repository: "registry.example:5000/a/b", digest: null }],
		["localhost/judge:1", { registry: "localhost", repository: "localhost/judge", digest: null }],
		["LOCALHOST/judge", { registry: "LOCALHOST", repository: "LOCALHOST/judge", digest: null }],
		["db:80/x", { registry: "db:80", repository: "db:80/x", digest: null }],
		[`ghcr.io/a/b:1@${DIGEST}`, { registry: "ghcr.io", repository: "ghcr.io/a/b", digest: DIGEST }],
	])("%s has its parts", (reference, expected) => {
		expect(IMAGE_REFERENCE.test(reference)).toBe(true);
		expect({
			registry: registryOfReference(reference),
			repository: repositoryOfReference(reference),
			digest: digestOfReference(reference),
		}).toEqual(expected);
	});
});

describe("a registry", () => {
	const strict = { allowInsecure: false };

	it("must not be a private IP address, for any reference that leads to it", () => {
		const octet = fc.integer({ min: 0, max: 255 });
		fc.assert(
			fc.property(fc.constantFrom("10", "127", "192.168"), octet, octet, octet, (start, a, b, c) => {
				const host = [...start.split("."), a, b, c].slice(0, 4).join(".");
				const reference = `${host}:5000/judge:1`;
				expect(IMAGE_REFERENCE.test(reference)).toBe(true);
				expect(findRegistryFault(registryOfReference(reference) ?? "", strict)).not.toBeNull();
			}),
		);
	});
});
