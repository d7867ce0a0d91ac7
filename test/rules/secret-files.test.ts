import { describe, expect, it } from "vitest";
import { containsSecret, isSecretPath } from "../../src/domain/secret-files.ts";

describe("a path", () => {
	const SECRETS = [
		...[".env", ".env.production", "prod.env", "deploy/.envrc", ".npmrc", ".netrc", ".dev.vars", "id_rsa", "x.PEM", "a/.aws/credentials"],
		...["credentials.json", "service-account.json", "service_account-prod.json", ".docker/config.json", "terraform.tfstate"],
		...["terraform.tfstate.backup", "prod.tfvars", "secrets.yaml", "config/secret.json", ".ssh/known_hosts"],
	];
	const OTHERS = [
		...[".env.example", ".env.sample", "example.env", "credentials.example.json", ".dev.vars.example", "secrets.example.yaml"],
		...["environment.ts", "keys.ts", "credentials.ts", "docker/config.json", "config.json", "secrets.md", "src/secret-files.ts", "env"],
	];

	it.each(SECRETS)("such as %s is usually a secret", (path) => {
		expect(isSecretPath(path)).toBe(true);
	});

	it.each(OTHERS)("such as %s is not", (path) => {
		expect(isSecretPath(path)).toBe(false);
	});
});

describe("a text", () => {
	const hex = (length: number) => "0123456789abcdef".repeat(4).slice(0, length);
	const letters = (length: number) => "Ab1".repeat(40).slice(0, length);
	const SECRETS = [
		...[`svc_sk_${hex(64)}`, `svc_op_${hex(32)}`, `AKIA${letters(40).toUpperCase().slice(0, 16)}`, `ghp_${letters(36)}`],
		...[`sk_live_${letters(24)}`, `sk-ant-${letters(30)}`, `AIza${letters(35)}`, `xoxb-${letters(30)}`, `npm_${letters(36)}`],
		...["-----BEGIN PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----"],
	];
	const OTHERS = [
		"svc_sk_...",
		"Bearer $KEY",
		"sk-learn",
		"a ghp_ token",
		"AKIA",
		"-----BEGIN PUBLIC KEY-----",
		`x${letters(4)}svc_sk_${hex(60)}`,
	];

	it.each(SECRETS)("with %s contains a credential", (secret) => {
		for (const text of [secret, `const key = "${secret}";`, `line\n${secret}\nline`]) expect(containsSecret(text)).toBe(true);
	});

	it.each(OTHERS)("with %s contains none", (text) => {
		expect(containsSecret(text)).toBe(false);
	});
});
