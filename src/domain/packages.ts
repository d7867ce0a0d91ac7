/** The Python package has this file name. pip accepts no other name for it, so pages show this one. */
export const WHEEL = "bounty_platform-0.1.0-py3-none-any.whl";
