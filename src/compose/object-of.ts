// The only file that gets objects from a namespace, as test/contract/deployment.test.ts checks, so that all objects are in the deployment's
// jurisdiction.
import { readConfig } from "../config/env.ts";
import { AppError } from "../domain/errors.ts";
import { refuseWhatIsLacking } from "./other-version.ts";

const RETRY_AFTER_SECONDS = 30;

/** The name of an object, with options for where it is created. */
interface NearbyName extends DurableObjectNamespaceGetDurableObjectOptions {
	readonly name: string;
}

/**
 * Calls the object with this name.
 *
 * @throws AppError `SERVICE_PAUSED` if `JURISDICTION` is invalid, `SERVICE_BUSY` if the object runs another version that lacks the method.
 */
export async function callObject<Class extends Rpc.DurableObjectBranded | undefined, Result>(
	env: Env,
	{ namespace, name }: { readonly namespace: DurableObjectNamespace<Class>; readonly name: string | NearbyName },
	call: (object: DurableObjectStub<Class>) => Promise<Result>,
): Promise<Result> {
	return await refuseWhatIsLacking(() => call(objectOf(env, namespace, name)));
}

/**
 * Returns the object with this name. Throws if `JURISDICTION` is invalid: in another jurisdiction, the same name is a different object, so
 * the data would seem to be lost.
 */
function objectOf<Class extends Rpc.DurableObjectBranded | undefined>(
	env: Env,
	namespace: DurableObjectNamespace<Class>,
	named: string | NearbyName,
): DurableObjectStub<Class> {
	const { jurisdiction, problem } = readConfig(env).placement;
	if (problem !== null) {
		const message = "The setting JURISDICTION of this deployment is invalid, so its tasks cannot be reached.";
		throw new AppError("SERVICE_PAUSED", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
	}
	const { name, ...options } = typeof named === "string" ? { name: named } : named;
	return (jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction)).getByName(name, options);
}
