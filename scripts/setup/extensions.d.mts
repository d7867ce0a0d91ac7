export function isCoreOnly(env?: Readonly<Record<string, string | undefined>>): boolean;
export function chooseByCondition(env?: Readonly<Record<string, string | undefined>>): Record<string, string>;
