"""A small network trained by JAX: every loss must be the same in each run."""

import os
import time

from job import finish, need

os.environ.setdefault("XLA_FLAGS", "--xla_gpu_deterministic_ops=true "
                      "--xla_gpu_autotune_level=0")
jax = need("jax")
STEPS = 60


def main():
    from jax import numpy as jnp
    keys = jax.random.split(jax.random.PRNGKey(1), 4)
    sizes = [(256, 512), (512, 10)]
    weights = [0.05 * jax.random.normal(k, s) for k, s in zip(keys, sizes)]
    images = jax.random.normal(keys[2], (128, 256))
    labels = jax.random.randint(keys[3], (128,), 0, 10)

    def loss_of(weights, images):
        scores = jnp.tanh(images @ weights[0]) @ weights[1]
        chosen = jax.nn.log_softmax(scores)[jnp.arange(128), labels]
        return -chosen.mean()

    step = jax.jit(jax.value_and_grad(loss_of))
    losses, seconds = [], []
    for _ in range(STEPS):
        start = time.perf_counter()
        loss, slopes = step(weights, images)
        weights = [w - 0.1 * s for w, s in zip(weights, slopes)]
        losses.append(repr(float(loss)))
        seconds.append(time.perf_counter() - start)
    finish(losses, seconds[3:], jax=jax.__version__,
           device=str(jax.devices()[0]))


if __name__ == "__main__":
    main()
