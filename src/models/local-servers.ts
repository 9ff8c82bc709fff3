/** Model servers that run on this machine at their usual ports. Offered by the picker; asked only when it opens. */

export interface LocalServer {
  /** Its name as a provider, for "ollama/llama3" without any settings. */
  name: string;
  title: string;
  baseUrl: string;
}

export const localServers: readonly LocalServer[] = [
  { name: 'ollama', title: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'llama.cpp', title: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'lmstudio', title: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'vllm', title: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1' },
];
