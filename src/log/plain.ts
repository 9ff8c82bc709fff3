/**
 * Whether a value is, as it stands, what its schema makes of it: the schema's own checks, read off it, without the copy that
 * parsing makes and in a fraction of its time. Yes is said only of what is certain; whatever else is for the schema to say.
 */
import type * as z from 'zod';

type Check = (value: unknown) => boolean;
type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes['_zod']['def'];

const isNever: Check = () => false;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Made when it is first asked. */
export function plainCheckOf(schema: Schema): Check {
  let check: Check | undefined;
  return (value) => (check ??= checkOf(schema))(value);
}

function checkOf(schema: Schema): Check {
  const def = (schema as z.core.$ZodTypes)._zod.def;
  const own = ownChecksOf(def);
  if (own === undefined) return isNever;
  const base = baseOf(def);
  if (own.length === 0) return base;
  return (value) => base(value) && own.every((check) => check(value));
}

function baseOf(def: Def): Check {
  switch (def.type) {
    case 'string':
      return 'format' in def ? isNever : (value) => typeof value === 'string';
    case 'number':
      return (value) => Number.isFinite(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'literal':
      return isOneOf(def.values);
    case 'enum':
      return isOneOf(Object.values(def.entries));
    // One that is missing is not read the same by all versions.
    case 'unknown':
      return (value) => value !== undefined;
    case 'optional':
      return orElse(undefined, def.innerType);
    case 'nullable':
      return orElse(null, def.innerType);
    // What fits is not caught.
    case 'catch':
      return checkOf(def.innerType);
    case 'array':
      return arrayOf(checkOf(def.element));
    case 'tuple':
      return def.rest === null ? tupleOf(def.items.map(checkOf)) : isNever;
    case 'record':
      return isLooseRecord(def) ? isObject : isNever;
    case 'object':
      return objectOf(def);
    case 'union':
      return unionOf(def);
    default:
      return isNever;
  }
}

/** What is asked of a value beyond its type; undefined where that is not known here. */
function ownChecksOf(def: Def): Check[] | undefined {
  const itself = 'check' in def ? [def as z.core.$ZodCheckDef] : [];
  const checks: Check[] = [];
  for (const one of [...itself, ...(def.checks ?? []).map((check) => check._zod.def)]) {
    const check = ownCheckOf(one as z.core.$ZodChecks['_zod']['def']);
    if (check === undefined) return undefined;
    checks.push(check);
  }
  return checks;
}

function ownCheckOf(def: z.core.$ZodChecks['_zod']['def']): Check | undefined {
  switch (def.check) {
    case 'min_length':
      return (value) => (value as string).length >= def.minimum;
    case 'max_length':
      return (value) => (value as string).length <= def.maximum;
    case 'greater_than': {
      const { value: least, inclusive } = def;
      return (value) => (inclusive ? (value as number) >= Number(least) : (value as number) > Number(least));
    }
    case 'number_format':
      return def.format === 'safeint' ? Number.isSafeInteger : undefined;
    case 'string_format': {
      const { format, pattern } = def;
      if (format !== 'regex' || pattern === undefined || pattern.global || pattern.sticky) return undefined;
      return (value) => pattern.test(value as string);
    }
    default:
      return undefined;
  }
}

const isOneOf = (values: readonly unknown[]): Check => {
  const set = new Set(values);
  return (value) => set.has(value);
};

const orElse = (absent: null | undefined, inner: Schema): Check => {
  const check = checkOf(inner);
  return (value) => value === absent || check(value);
};

const arrayOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const tupleOf =
  (checks: readonly Check[]): Check =>
  (value) =>
    Array.isArray(value) && value.length === checks.length && checks.every((check, at) => check(value[at]));

const isLooseRecord = ({ keyType, valueType }: z.core.$ZodRecordDef): boolean =>
  keyType._zod.def.type === 'string' &&
  (keyType._zod.def.checks ?? []).length === 0 &&
  valueType._zod.def.type === 'unknown';

/** Only one that keeps what it does not know: another would make a value of fewer fields. */
function objectOf({ shape, catchall }: z.core.$ZodObjectDef): Check {
  if (catchall?._zod.def.type !== 'unknown') return isNever;
  const fields = Object.entries(shape).map(([key, schema]) => ({ key, check: checkOf(schema) }));
  return (value) => {
    if (!isObject(value)) return false;
    for (const { key, check } of fields) if (!check(value[key])) return false;
    return true;
  };
}

function unionOf(def: z.core.$ZodUnionDef | z.core.$ZodDiscriminatedUnionDef): Check {
  const checks = def.options.map(checkOf);
  if (!('discriminator' in def)) return (value) => checks.some((check) => check(value));
  const { discriminator } = def;
  const byValue = new Map<unknown, Check>();
  def.options.forEach((option, at) => {
    for (const value of option._zod.propValues?.[discriminator] ?? [])
      byValue.set(value, checks[at] ?? isNever);
  });
  return (value) => isObject(value) && (byValue.get(value[discriminator]) ?? isNever)(value);
}
