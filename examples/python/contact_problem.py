"""Contact problems without mechanics: matrices in, impulses out; all solvers; FCLib files."""

import numpy as np

import saltus

W = np.array([[15.0, -1, -2], [-1, 14, 1], [-2, 1, 16]])
q = np.array([-1.0, 2, 3])
print(saltus.solvers())
for solver in saltus.solvers():
    solution = saltus.solve_contact(W, q, mu=0.1, solver=solver)
    print(f"{solver:<20} {solution.status:<30} r = {solution.r}")

# A hundred contacts on one rigid body: W = H M⁻¹ Hᵀ has rank 6.
generator = np.random.default_rng(1)
H = generator.normal(size=(300, 6))
problem = saltus.ContactProblem(H @ H.T, H @ generator.normal(size=6), mu=0.5)
solution = problem.solve(tolerance=1e-8, max_iterations=100000)
print(solution)
assert solution.converged and solution.residual <= 1e-8
problem.write("hundred_contacts.hdf5")
assert saltus.ContactProblem.read("hundred_contacts.hdf5").residual(solution.r) <= 1e-7
