// Amounts and names as they are printed.

/** More than this is unlimited. */
const UNLIMITED = 2 ** 62;
const MEBI = 2 ** 20;
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL = ["m", "", "k", "M", "G", "T", "P", "E"];

/** @param {string} resource */
const isBinary = (resource) =>
  resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");

/** @param {number} amount */
export const isUnlimited = (amount) => amount >= UNLIMITED;

/**
 * Prints an amount as Kubernetes does; integers in milli-cpu, or in units of the resource.
 * @param {string} resource
 * @param {number} amount
 */
export function amountText(resource, amount) {
  if (isUnlimited(amount)) return "∞";
  if (amount === 0) return "0";
  let rest = amount;
  let power = 0;
  // Whole numbers of Mi are bytes, of whatever resource: of counters and capacities of devices.
  const inBytes = isBinary(resource) || (resource !== "cpu" && amount % MEBI === 0);
  if (inBytes && amount % 1024 === 0) {
    while (power < BINARY.length - 1 && rest % 1024 === 0) {
      rest /= 1024;
      power += 1;
    }
    return `${rest}${BINARY[power]}`;
  }
  power = resource === "cpu" ? 0 : 1;
  while (power < DECIMAL.length - 1 && rest % 1000 === 0) {
    rest /= 1000;
    power += 1;
  }
  return `${rest}${DECIMAL[power]}`;
}

/**
 * Prints amounts that are read beside each other: all in milli-cpu if one has to be.
 * @param {string} resource
 * @param {...number} amounts
 */
export function amountTexts(resource, ...amounts) {
  const milli =
    resource === "cpu" && amounts.some((each) => !isUnlimited(each) && each % 1000 !== 0);
  return amounts.map((each) =>
    milli && each > 0 && !isUnlimited(each) ? `${each}m` : amountText(resource, each),
  );
}

/**
 * Returns a name without its namespace: what is left out first where there is little room.
 * @param {string} name
 */
export const withoutNamespace = (name) => name.slice(name.lastIndexOf("/") + 1);

/**
 * Returns a workload's name without a namespace that says nothing.
 * @param {string} key
 */
export function shortName(key) {
  const at = key.lastIndexOf("/");
  const namespace = key.slice(0, Math.max(at, 0));
  return namespace === "" || namespace === "default" ? key.slice(at + 1) : key;
}
