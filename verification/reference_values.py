"""Three values of the reference tables  that are not those of its scheme.

    python3 verification/reference_values.py          (half a minute, needs nothing but Python)

(a) Bouncing ball, mean |gap error| on [0, 4] s at h = 5e-4 s. The scheme is rational in these data, so it is run in
exact fractions. The ball comes back to gap 0 exactly at the end of a step, and the printed value belongs to the rule
"g < 0 is closed", which rounding chose, while the scheme says g <= 0.

(b) Pendulum before the impact, error of the angular velocity at t = 0.4 s. The scheme is of second order, so that the
error at h = 1e-4 is a hundredth of that at h = 1e-3; the printed digits are not. Solved here by an independent Newton
method with exact derivatives, to rounding and to the tolerances that the reference gives for its prototypes.

(c) Two-ball oscillator under the smooth index-3 scheme, energy at 2 s. The scheme gains energy at impacts and amplifies
rounding; each step is a linear problem with one unilateral contact, solved here with 17 and with 50 digits.
"""

from decimal import Decimal, getcontext
from fractions import Fraction
from math import cos, pi, sin, sqrt

# rho_inf = 0.8
AM, AF = Fraction(1, 3), Fraction(4, 9)
GAMMA = Fraction(1, 2) + AF - AM
BETA = (GAMMA + Fraction(1, 2)) ** 2 / 4


def exact_gap(t):
    """Height of the ball of 0.801 m with e = 0.8 under 10 m/s^2, which starts at rest."""
    speed, begin = sqrt(2 * 10 * 0.801), sqrt(2 * 0.801 / 10)
    if t < begin:
        return 0.801 - 5 * t * t
    while speed > 1e-9:
        speed *= 0.8
        if t < begin + speed / 5:
            return (t - begin) * (speed - 5 * (t - begin))
        begin += speed / 5
    return 0.0


def ball_mean_error(h, closed):
    """f is constant, so a = vd = -g always: q~ and v~ are those of free fall, and U, W follow at once."""
    q, v, n = Fraction(801, 1000), Fraction(0), int(4 / h)
    total = 0.0
    for i in range(1, n + 1):
        smooth_q, smooth_v = q + h * v - 5 * h * h, v - 10 * h
        if closed(smooth_q):
            rebound = -Fraction(8, 10) * v
            q, v = max(smooth_q, Fraction(0)), max(smooth_v, rebound)
        else:
            q, v = smooth_q, smooth_v
        total += abs(float(q) - exact_gap(i * float(h)))
    return total / n


def solve(a, b):
    """Gaussian elimination with row pivoting, in place."""
    n = len(b)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p], b[k], b[p] = a[p], a[k], b[p], b[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            if f != 0:
                for j in range(k, n):
                    a[i][j] -= f * a[k][j]
                b[i] -= f * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - sum(a[k][j] * b[j] for j in range(k + 1, n))) / a[k][k]
    return b


def pendulum_rate(h, tolerance):
    """(29), (30) of the reference without contact; unknowns vd (3), lambda (2), U (3), nu (2)."""
    am, af, gamma, beta = map(float, (AM, AF, GAMMA, BETA))
    mass, force, k = (1.0, 1.0, 0.1), (0.0, -10.0, 0.0), (1 - af) / (1 - am)
    q, v = [cos(pi / 12), sin(pi / 12), pi / 12], [0.0] * 3
    alpha = -10 * cos(q[2]) / 1.1
    vd_n = [-sin(q[2]) * alpha, cos(q[2]) * alpha, alpha]
    a_n = vd_n[:]
    for _ in range(round(0.4 / h)):
        x = [0.0] * 10  # the reference starts every step from zero
        for iteration in range(8):  # rounding of g/h may keep the residual above a small tolerance
            a = [(1 - af) / (1 - am) * x[i] + (af * vd_n[i] - am * a_n[i]) / (1 - am) for i in range(3)]
            u = [v[i] + h * ((1 - gamma) * a_n[i] + gamma * a[i]) for i in range(3)]
            p = [q[i] + h * v[i] + h * h * ((0.5 - beta) * a_n[i] + beta * a[i]) + x[5 + i] for i in range(3)]
            s, c = sin(p[2]), cos(p[2])
            G = ((1.0, 0.0, s), (0.0, 1.0, -c))
            dG = (c, s)  # of the last column by theta
            r = [mass[i] * x[i] - force[i] - G[0][i] * x[3] - G[1][i] * x[4] for i in range(3)]
            r += [sum(G[j][i] * u[i] for i in range(3)) for j in range(2)]
            r += [mass[i] * x[5 + i] - G[0][i] * x[8] - G[1][i] * x[9] for i in range(3)]
            r += [p[0] - c, p[1] - s]
            scale = [h] * 3 + [1.0] * 2 + [1 / h] * 5  # of the reference's residuals
            if max(abs(r[i]) * scale[i] for i in range(10)) < tolerance:
                break
            by_vd, J = h * h * beta * k, [[0.0] * 10 for _ in range(10)]
            for i in range(3):
                J[i][i] += mass[i]
                J[5 + i][5 + i] += mass[i]
                for j in range(2):
                    J[i][3 + j] -= G[j][i]
                    J[5 + i][8 + j] -= G[j][i]
                    J[3 + j][i] += G[j][i] * h * gamma * k
                    J[8 + j][i] += G[j][i] * by_vd
                    J[8 + j][5 + i] += G[j][i]
            for column, share in ((2, by_vd), (7, 1.0)):  # theta moves with vd_3 and U_3
                J[2][column] -= share * (dG[0] * x[3] + dG[1] * x[4])
                J[7][column] -= share * (dG[0] * x[8] + dG[1] * x[9])
                for j in range(2):
                    J[3 + j][column] += share * dG[j] * u[2]
            dx = solve(J, [-value for value in r])
            x = [x[i] + dx[i] for i in range(10)]
        q, v, vd_n, a_n = p, u, x[:3], a
    return v[2]


def oscillator_energies(number, times):
    """Two unit masses, a spring of 1000 N/m, h = 2 ms; `number` makes the numbers from text."""
    half = number("0.5")
    am, af = (number(x.numerator) / number(x.denominator) for x in (AM, AF))
    gamma, beta = (number(x.numerator) / number(x.denominator) for x in (GAMMA, BETA))
    h, k, weight = number("0.002"), number("1000"), number("10")
    c = (1 - af) / (1 - am)
    b = h * h * beta * c  # q = q_free + b vd

    def force(q):
        spring = k * (q[1] - q[0] - 1)
        return [spring - weight, -spring - weight]

    def respond(f):
        """(I + b K)^-1 f"""
        d, o = 1 + b * k, -b * k
        return [(d * f[0] - o * f[1]) / (d * d - o * o), (d * f[1] - o * f[0]) / (d * d - o * o)]

    q, v = [number("1"), number("2")], [number("0"), number("0")]
    vd, energies = force(q), []
    a = vd
    for n in range(1, round(max(times) / 0.002) + 1):
        rest = [(af * vd[j] - am * a[j]) / (1 - am) for j in (0, 1)]
        free = [q[j] + h * v[j] + h * h * ((half - beta) * a[j] + beta * rest[j]) for j in (0, 1)]
        vd = respond(force(free))
        if free[0] + b * vd[0] < 0:  # closed: q_1 = 0
            push = respond([number("1"), number("0")])
            multiplier = -(free[0] + b * vd[0]) / (b * push[0])
            vd = [vd[j] + multiplier * push[j] for j in (0, 1)]
        new = [rest[j] + c * vd[j] for j in (0, 1)]
        q = [free[j] + b * vd[j] for j in (0, 1)]
        v = [v[j] + h * ((1 - gamma) * a[j] + gamma * new[j]) for j in (0, 1)]
        a = new
        if any(abs(n * 0.002 - t) < 1e-9 for t in times):
            energy = (v[0] ** 2 + v[1] ** 2 + k * (q[1] - q[0] - 1) ** 2) / 2 + weight * (q[0] + q[1])
            energies.append(float(energy))
    return energies


if __name__ == "__main__":
    print("(a) ball, mean |gap error| on [0, 4] s in exact fractions; the reference has 4.2e-3, 2.2e-3, 4.2e-4")
    for step in (Fraction(2, 1000), Fraction(1, 1000), Fraction(1, 2000)):
        le = ball_mean_error(step, lambda g: g <= 0)
        lt = ball_mean_error(step, lambda g: g < 0)
        print(f"    h = {float(step):g}: closed where g <= 0: {le:.4g}, closed where g < 0: {lt:.4g}")
    exact = -3.553679492
    print("(b) pendulum, error of the rate at t = 0.4 s; the reference has 8.36e-6 at h = 1e-3 and 5.2e-8 at 1e-4")
    for step, tolerance in ((1e-3, 1e-13), (1e-4, 1e-13), (1e-4, 1e-9)):
        print(f"    h = {step:g}, tolerance {tolerance:g}: {pendulum_rate(step, tolerance) - exact:.3g}")
    getcontext().prec = 50
    print("(c) oscillator, smooth scheme, energies at 0.5, 0.8, 1, 2 s; the reference has 26.461914, 26.67, 14.98, 35.10")
    for name, number in (("17 digits", float), ("50 digits", Decimal)):
        print("    " + name + ":", ", ".join(f"{e:.6f}" for e in oscillator_energies(number, (0.5, 0.8, 1, 2))))
