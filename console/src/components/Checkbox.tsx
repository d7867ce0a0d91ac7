import type { ReactNode } from "react";
import { Checkbox as AriaCheckbox } from "react-aria-components";

interface CheckboxProps {
	readonly isSelected: boolean;
	readonly isDisabled?: boolean;
	readonly onChange: (isSelected: boolean) => void;
	readonly children: ReactNode;
}

export function Checkbox({ isSelected, isDisabled = false, onChange, children }: CheckboxProps) {
	return (
		<AriaCheckbox className="checkbox" isSelected={isSelected} isDisabled={isDisabled} onChange={onChange}>
			<span className="checkbox-box" aria-hidden="true">
				✓
			</span>
			<span>{children}</span>
		</AriaCheckbox>
	);
}
