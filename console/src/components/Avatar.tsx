import { avatarOf } from "../../../src/domain/avatar.ts";

/** Shows the picture that the public pages show next to a name. */
export function Avatar({ name }: { readonly name: string }) {
	const { path, hue } = avatarOf(name);
	return (
		<svg className={`avatar avatar-${hue}`} viewBox="-1 -1 7 7" aria-hidden="true">
			<path d={path} />
		</svg>
	);
}
