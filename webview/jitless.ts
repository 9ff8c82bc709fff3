/** Imported before any schema is built: zod then never probes `eval`, which the content-security policy would report. */
import * as z from 'zod';

z.config({ jitless: true });
